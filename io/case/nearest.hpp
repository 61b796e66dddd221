#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace halyard {

/// Edits (insert, delete, replace, swap of neighbours) that turn a into b: the optimal string alignment distance.
/// Upper and lower case count as equal.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate that a misspelt name most likely meant; empty when none is near (more than a third of its letters
/// differ, or half of a short name's). Of equally near ones the first.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace halyard
