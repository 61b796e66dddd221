#pragma once
#include <cstdint>
#include <string>

namespace halyard {

/// A span of wall-clock time [s] for people: "0.42 s", "38.1 s", "2 min 05 s", "3 h 07 min", "2 d 04 h".
std::string duration_text(double seconds);

/// Bytes for people, in powers of 1000 as disks and networks count: "512 B", "1.23 MB", "45.6 GB".
std::string bytes_text(double bytes);

/// A rate of items with the prefix that leaves 1 to 999: rate_text(5.51e7, "cell") = "55.1 Mcell/s".
std::string rate_text(double items_per_second, const std::string& item);

/// A whole number with a thin gap each three digits: "16 777 216".
std::string count_text(std::int64_t count);

}  // namespace halyard
