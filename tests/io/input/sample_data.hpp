#pragma once
#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace halyard::md {

/// A data file with every section, 54 lines.
inline std::string sample_data() {
  return "four atoms\n"                                 // 1
         "\n"                                           // 2
         "4 atoms\n"                                    // 3
         "2 bonds\n"                                    // 4
         "1 angles\n"                                   // 5
         "1 dihedrals\n"                                // 6
         "1 impropers\n"                                // 7
         "2 atom types\n"                               // 8
         "2 bond types\n"                               // 9
         "1 angle types\n"                              // 10
         "1 dihedral types\n"                           // 11
         "1 improper types\n"                           // 12
         "-1 9.5 xlo xhi\n"                             // 13
         "0 10 ylo yhi\n"                               // 14
         "0.1 10.3 zlo zhi\n"                           // 15
         "0.5 -0.25 1e-1 xy xz yz\n"                    // 16
         "\n"                                           // 17
         "Masses\n"                                     // 18
         "\n"                                           // 19
         "1 12.011\n"                                   // 20
         "2 1.008\n"                                    // 21
         "\n"                                           // 22
         "Pair Coeffs # lj/cut\n"                       // 23
         "\n"                                           // 24
         "1 0.1 3.5\n"                                  // 25
         "2 0.02 2.5 9\n"                               // 26
         "\n"                                           // 27
         "PairIJ Coeffs\n"                              // 28
         "\n"                                           // 29
         "1 1 0.1 3.5\n"                                // 30
         "2 1 0.05 3\n"                                 // 31
         "2 2 0.02 2.5\n"                               // 32
         "\n"                                           // 33
         "Bond Coeffs\n"                                // 34
         "\n"                                           // 35
         "1 harmonic 250 1.09\n"                        // 36
         "2 fene 30 1.5 1 1\n"                          // 37
         "\n"                                           // 38
         "Angle Coeffs\n\n1 50 109.5\n\n"               // 39 to 42
         "Dihedral Coeffs\n\n1 0.2 3 0 1\n\n"           // 43 to 46
         "Improper Coeffs\n\n1 20 0\n\n"                // 47 to 50
         "Atoms # full\n"                               // 51
         "\n"                                           // 52
         "1 1 1 -0.3 1 2 3 0 0 0\n"                     // 53
         "2 1 2 0.1 1.5 2.5 3.5 0 -1 2\n"               // 54
         "3 1 2 0.1 2 1e-3 3 0 0 0\n"                   // 55
         "4 1 2 0.1 0.25 3 3 1 0 0\n"                   // 56
         "\n"                                           // 57
         "Velocities\n"                                 // 58
         "\n"                                           // 59
         "1 0.1 0 0\n2 0 -0.2 0\n3 0 0 0.3\n4 0 0 0\n"  // 60 to 63
         "\n"                                           // 64
         "Bonds\n"                                      // 65
         "\n"                                           // 66
         "1 1 1 2\n2 2 1 3\n"                           // 67, 68
         "\n"                                           // 69
         "Angles\n\n1 1 2 1 3\n\n"                      // 70 to 73
         "Dihedrals\n\n1 1 2 1 3 4\n\n"                 // 74 to 77
         "Impropers\n\n1 1 1 2 3 4\n";                  // 78 to 80
}

/// The sections of a data file in another order, and in each the lines.
inline std::string shuffled(const std::string& text, unsigned seed) {
  std::mt19937 random(seed);
  std::string head;
  std::vector<std::pair<std::string, std::vector<std::string>>> sections;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin + 1);
    if (begin > 0 && line[0] >= 'A' && line[0] <= 'Z')
      sections.push_back({line, {}});
    else if (sections.empty())
      head += line;
    else if (line != "\n")
      sections.back().second.push_back(line);
    begin = end == std::string::npos ? text.size() : end + 1;
  }
  std::shuffle(sections.begin(), sections.end(), random);
  for (auto& [name, lines] : sections) {
    std::shuffle(lines.begin(), lines.end(), random);
    head += name + "\n";
    for (const std::string& line : lines) head += line;
    head += "\n";
  }
  return head;
}

}  // namespace halyard::md
