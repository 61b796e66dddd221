#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::md {

struct EamElement {
  std::string name;  // "Cu"; of a funcfl file the symbol of its atomic number
  int atomic_number = 0;
  double mass = 0.0;              // [g/mol]
  double lattice_constant = 0.0;  // [A]; 0 where the file has none
  std::string lattice;            // "fcc", as written; empty where the file has none

  bool operator==(const EamElement&) const = default;
};

/// Tables of an embedded-atom potential on one grid, in metal units:
///   E = sum_i F_a(rho_i) + 1/2 sum_ij phi_ab(r_ij),   rho_i = sum_j rho_ba(r_ij)     (a, b: elements of i, j)
/// (Daw & Baskes 1984, Phys. Rev. B 29, 6443; Finnis & Sinclair 1984, Philos. Mag. A 50, 45).
/// Value k of a table is at rho = k drho or r = k dr, k from 0.
struct EamTables {
  std::vector<EamElement> elements;
  int nrho = 0, nr = 0;                        // values in a table
  double drho = 0.0, dr = 0.0;                 // drho in the file's unit of density; dr [A]
  double cutoff = 0.0;                         // [A]; may lie beyond the last value: see notes
  bool finnis_sinclair = false;                // rho_ab depends on both elements, not on a alone
  std::vector<std::vector<double>> embedding;  // F_a(rho) [eV], one table an element
  std::vector<std::vector<double>> density;    // rho_a(r), one an element; or rho_ab(r) at a * elements + b
  std::vector<std::vector<double>> r_phi;      // r phi_ab(r) [eV A], lower triangle: a >= b at a (a + 1) / 2 + b
  std::vector<std::string> notes;              // what a user should know of the file, a sentence each

  /// What an atom of element a adds to the density at the place of an atom of element b.
  const std::vector<double>& density_of(int a, int b) const;
  /// The same table for (a, b) and (b, a).
  const std::vector<double>& r_phi_of(int a, int b) const;
};

/// A funcfl file: one element, with an effective charge Z(r) in place of a pair potential.
struct EamFuncfl {
  std::string title, file;
  EamElement element;
  int nrho = 0, nr = 0;
  double drho = 0.0, dr = 0.0, cutoff = 0.0;
  std::vector<double> embedding;  // F(rho) [eV]
  std::vector<double> charge;     // Z(r) [sqrt(hartree bohr)]
  std::vector<double> density;    // rho(r)
};

/// Read the text of a DYNAMO file; `file` names it in messages. The formats: docs.lammps.org/pair_eam.html. Fortran
/// exponents (1.0D-3) are taken, as are CRLF and blank lines; every table begins on a line of its own.
/// Throw Error (file:line, found, expected) for too few and too many numbers, numbers that are not finite, counts and
/// spacings that make no grid, and text behind the last table.
EamFuncfl parse_eam_funcfl(std::string_view text, const std::string& file);
/// setfl, LAMMPS' eam/alloy: one density an element.
EamTables parse_eam_setfl(std::string_view text, const std::string& file);
/// LAMMPS' eam/fs: one density for each ordered pair of elements; block a of the file holds rho_ab for all b.
EamTables parse_eam_fs(std::string_view text, const std::string& file);

/// Brings funcfl files onto one grid, in the given order of elements, as LAMMPS mixes them:
///   r phi_ab(r) = 27.2 * 0.529 Z_a(r) Z_b(r)   [eV A]
/// with the largest dr, drho, cutoff of all files, and tables as long as the longest file's. A file with another
/// spacing is interpolated by the cubic through four of its values: those around the point, at the ends of the table
/// the last four; beyond the last value that one holds. A file whose spacing is the grid's keeps its values to the bit,
/// so that one file alone gives its own tables. LAMMPS drops the last value of each table (it computes n - 1 as the
/// length); here it stays. The splines differ in their last three intervals only. Throws Error when `files` is empty.
EamTables mix_funcfl(const std::vector<EamFuncfl>& files);

/// Which element of the tables has this name; throws Error that lists the ones of `file`.
int element_index(const EamTables& tables, std::string_view name, const std::string& file);

}  // namespace halyard::md
