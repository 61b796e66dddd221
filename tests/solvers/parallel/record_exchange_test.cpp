#include "solvers/parallel/record_exchange.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace halyard {
namespace {

struct Record {
  std::int64_t from, number;
  double value;
  std::int32_t odd;  // an odd size with its padding
};

/// How many records `from` has for `to`: none for some, many for others; for itself too.
std::int64_t count_for(int from, int to) {
  return (from * 7 + to * 4 + 1) % 5 == 0 ? 0 : (from * 5 + to * 11 + 3) % 17;
}

std::vector<std::vector<Record>> lists(const Communicator& comm) {
  std::vector<std::vector<Record>> to_rank(static_cast<std::size_t>(comm.size()));
  for (int to = 0; to < comm.size(); ++to) {
    for (std::int64_t n = 0; n < count_for(comm.rank(), to); ++n) {
      to_rank[static_cast<std::size_t>(to)].push_back({comm.rank(), n, 0.1 * comm.rank() + 1e-3 * to, -to});
    }
  }
  return to_rank;
}

TEST(RecordExchange, EachRankGetsWhatWasMeantForItInOrder) {
  const Communicator comm;
  const ReceivedRecords<Record> received = exchange_records(comm, lists(comm));
  ASSERT_EQ(received.counts.size(), static_cast<std::size_t>(comm.size()));
  std::size_t at = 0;
  for (int from = 0; from < comm.size(); ++from) {
    ASSERT_EQ(received.counts[static_cast<std::size_t>(from)], count_for(from, comm.rank()));
    for (std::int64_t n = 0; n < count_for(from, comm.rank()); ++n) {
      ASSERT_LT(at, received.records.size());
      const Record& record = received.records[at++];
      EXPECT_EQ(record.from, from);
      EXPECT_EQ(record.number, n);
      EXPECT_EQ(record.value, 0.1 * from + 1e-3 * comm.rank());
      EXPECT_EQ(record.odd, -comm.rank());
    }
  }
  EXPECT_EQ(at, received.records.size());
}

TEST(RecordExchange, NobodyHasAnythingToSay) {
  const Communicator comm;
  const auto received = exchange_records(comm, std::vector<std::vector<Record>>(static_cast<std::size_t>(comm.size())));
  EXPECT_TRUE(received.records.empty());
  EXPECT_EQ(received.counts, std::vector<std::int64_t>(static_cast<std::size_t>(comm.size()), 0));
}

TEST(RecordExchange, OneRankHasAllForTheLast) {
  const Communicator comm;
  std::vector<std::vector<double>> to_rank(static_cast<std::size_t>(comm.size()));
  constexpr std::size_t many = 300'000;  // beyond any eager limit
  if (comm.rank() == 0) {
    for (std::size_t i = 0; i < many; ++i) {
      to_rank.back().push_back(static_cast<double>(i));
    }
  }
  const auto received = exchange_records(comm, to_rank);
  if (comm.rank() == comm.size() - 1) {
    ASSERT_EQ(received.records.size(), many);
    for (std::size_t i = 0; i < many; i += 997) {
      EXPECT_EQ(received.records[i], static_cast<double>(i));
    }
  } else {
    EXPECT_TRUE(received.records.empty());
  }
}

TEST(RecordExchange, CallsFollowOneAnotherWithoutMixing) {
  const Communicator comm;
  for (int call = 0; call < 20; ++call) {
    std::vector<std::vector<int>> to_rank(static_cast<std::size_t>(comm.size()));
    for (int to = 0; to < comm.size(); ++to) {
      to_rank[static_cast<std::size_t>(to)].assign(static_cast<std::size_t>((call + to) % 3),
                                                   1000 * call + comm.rank());
    }
    const auto received = exchange_records(comm, to_rank);
    for (const int value : received.records) {
      ASSERT_EQ(value / 1000, call);
    }
    EXPECT_EQ(received.records.size(), static_cast<std::size_t>(comm.size() * ((call + comm.rank()) % 3)));
  }
}

}  // namespace
}  // namespace halyard
