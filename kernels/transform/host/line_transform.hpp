#pragma once
#include <vector>

#include "kernels/transform/eigenvalues.hpp"
#include "kernels/transform/host/lane_fourier.hpp"

namespace halyard::host {

/// Transforms along y or z of eight columns of complex numbers a + i' b, one column a lane: Fourier or cosine (DCT-II)
/// as in RowTransform, backward(forward(f)) = n f. In a block of pairs a and b are real lines of their own:
///
/// - Fourier modes of complex columns are complex; those of pairs are kept as half-complex lines: for 0 < m < n/2 mode
/// m
///   holds the real parts (of a and of b), mode n-m the imaginary parts.
/// - cosine modes are the same in both cases: the transform is real.
///
/// get(i) and put(m, value) reach the cells and modes wherever they are; `work` holds n complex lanes, aligned to 64
/// bytes.
class LineTransform {
 public:
  LineTransform(Basis basis, int n);

  int size() const { return n_; }
  bool is_fast() const { return fourier_.is_fast(); }
  static std::size_t work_doubles(int n) { return static_cast<std::size_t>(complex_stride) * (n + 1); }

  template <class Get>
  void load_cells(double* work, Get get) const {
    const int* const place = cell_place_.data();
    for (int i = 0; i < n_; ++i) {
      store_complex(work, place[i], get(i));
    }
    fourier_.transform(work, false);
  }

  /// The modes of the cells in `work`.
  template <bool pairs, class Put>
  void unload_modes(const double* work, Put put) const {
    if (basis_ == Basis::cosine) {
      const Lanes half = all(0.5);
      put(0, load_complex(work, 0));
      for (int m = 1; 2 * m < n_; ++m) {
        const Lanes w_re = all(quarter_[2 * m]), w_im = all(quarter_[2 * m + 1]);
        const ComplexLanes p = multiply(load_complex(work, m), w_re, w_im);
        const ComplexLanes q = multiply_conjugate(load_complex(work, n_ - m), w_re, w_im);
        put(m, {half * (p.re + q.re), half * (p.im + q.im)});
        put(n_ - m, {half * (q.im - p.im), half * (p.re - q.re)});
      }
      if (n_ % 2 == 0) {
        const Lanes c = all(quarter_[n_]);
        const ComplexLanes v = load_complex(work, n_ / 2);
        put(n_ / 2, {v.re * c, v.im * c});
      }
    } else if constexpr (pairs) {
      const Lanes half = all(0.5);
      put(0, load_complex(work, 0));
      for (int m = 1; 2 * m < n_; ++m) {
        const ComplexLanes a = load_complex(work, m), b = load_complex(work, n_ - m);
        put(m, {half * (a.re + b.re), half * (a.im + b.im)});
        put(n_ - m, {half * (a.im - b.im), half * (b.re - a.re)});
      }
      if (n_ % 2 == 0) {
        put(n_ / 2, load_complex(work, n_ / 2));
      }
    } else {
      for (int m = 0; m < n_; ++m) {
        put(m, load_complex(work, m));
      }
    }
  }

  /// The reverse of unload_modes() and load_cells(): cells (times n) into `work`, cell i at result_place()[i].
  template <bool pairs, class Get>
  void load_modes(double* work, Get get) const {
    const int* const slot = fourier_.slot().data();
    if (basis_ == Basis::cosine) {
      store_complex(work, slot[0], get(0));
      for (int m = 1; 2 * m < n_; ++m) {
        const Lanes w_re = all(quarter_[2 * m]), w_im = all(quarter_[2 * m + 1]);
        const ComplexLanes a = get(m), b = get(n_ - m);
        store_complex(work, slot[m], multiply_conjugate({a.re + b.im, a.im - b.re}, w_re, w_im));
        store_complex(work, slot[n_ - m], multiply({a.re - b.im, a.im + b.re}, w_re, w_im));
      }
      if (n_ % 2 == 0) {
        const Lanes c = all(2.0 * quarter_[n_]);
        const ComplexLanes v = get(n_ / 2);
        store_complex(work, slot[n_ / 2], {v.re * c, v.im * c});
      }
    } else if constexpr (pairs) {
      store_complex(work, slot[0], get(0));
      for (int m = 1; 2 * m < n_; ++m) {
        const ComplexLanes a = get(m), b = get(n_ - m);
        store_complex(work, slot[m], {a.re - b.im, a.im + b.re});
        store_complex(work, slot[n_ - m], {a.re + b.im, a.im - b.re});
      }
      if (n_ % 2 == 0) {
        store_complex(work, slot[n_ / 2], get(n_ / 2));
      }
    } else {
      for (int m = 0; m < n_; ++m) {
        store_complex(work, slot[m], get(m));
      }
    }
    fourier_.transform(work, true);
  }

  template <class Put>
  void unload_cells(const double* work, Put put) const {
    const int* const place = result_place_.data();
    for (int i = 0; i < n_; ++i) {
      put(i, load_complex(work, place[i]));
    }
  }

 private:
  Basis basis_;
  int n_;
  LaneFourier fourier_;
  std::vector<int> cell_place_, result_place_;
  std::vector<double> quarter_;  // exp(-pi i' m / 2n) as (re, im)
};

}  // namespace halyard::host
