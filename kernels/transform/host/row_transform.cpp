#include "kernels/transform/host/row_transform.hpp"

#include <algorithm>
#include <numbers>

namespace halyard::host {

namespace {

/// exp(-2 pi i' m / n) for m = 0 ... count-1 as (re, im).
std::vector<double> roots_of_unity(std::int64_t n, std::int64_t count) {
  std::vector<double> result;
  for (std::int64_t m = 0; m < count; ++m) {
    const long double angle =
        -2.0L * std::numbers::pi_v<long double> * static_cast<long double>(m) / static_cast<long double>(n);
    result.push_back(static_cast<double>(std::cos(angle)));
    result.push_back(static_cast<double>(std::sin(angle)));
  }
  return result;
}

KERNEL Lanes sum_of(const Lanes x[8]) { return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])); }

/// Eight columns at a time out of eight rows; the last ones through a copy.
template <class Put>
KERNEL void for_columns(const double* const rows[lane_count], int count, Put put) {
  int i = 0;
  Lanes column[8];
  for (; i + 8 <= count; i += 8) {
    const double* at[8];
    for (int r = 0; r < 8; ++r) {
      at[r] = rows[r] + i;
    }
    load_columns(at, column);
    put(i, 8, column);
  }
  if (i < count) {
    alignas(64) double rest[8][8] = {};
    const double* at[8];
    for (int r = 0; r < 8; ++r) {
      for (int c = 0; c < count - i; ++c) {
        rest[r][c] = rows[r][i + c];
      }
      at[r] = rest[r];
    }
    load_columns(at, column);
    put(i, count - i, column);
  }
}

/// The reverse: get(i) gives the lanes of column i.
template <class Get>
KERNEL void to_columns(double* const rows[lane_count], int count, Get get) {
  int i = 0;
  Lanes column[8];
  for (; i + 8 <= count; i += 8) {
    double* at[8];
    for (int c = 0; c < 8; ++c) {
      column[c] = get(i + c);
      at[c] = rows[c] + i;
    }
    store_columns(at, column);
  }
  if (i < count) {
    alignas(64) double rest[8][8];
    double* at[8];
    for (int c = 0; c < 8; ++c) {
      column[c] = i + c < count ? get(i + c) : all(0.0);
      at[c] = rest[c];
    }
    store_columns(at, column);
    for (int r = 0; r < 8; ++r) {
      for (int c = 0; c < count - i; ++c) {
        rows[r][i + c] = rest[r][c];
      }
    }
  }
}

}  // namespace

RowTransform::RowTransform(Basis basis, int nx)
    : basis_(basis),
      nx_(nx),
      even_(nx % 2 == 0),
      modes_(nx, basis == Basis::fourier),
      fourier_(even_ ? nx / 2 : nx),
      place_(nx),
      result_(nx),
      twiddle_(roots_of_unity(nx, nx)),
      quarter_(roots_of_unity(4 * std::int64_t{nx}, nx)) {
  for (int i = 0; i < nx; ++i) {
    // Makhoul's order: even cells ascending, then odd ones descending.
    const int line = basis == Basis::fourier ? i : i % 2 == 0 ? i / 2 : nx - 1 - i / 2;
    place_[i] = even_ ? 2 * fourier_.slot()[line / 2] + line % 2 : 2 * fourier_.slot()[line];
    result_[i] = even_ ? line : 2 * line;
  }
  const auto count = static_cast<int>(basis == Basis::fourier ? modes_.modes() : modes_.doubles());
  mode_place_.resize(count);
  mode_place_im_.resize(count);
  for (int m = 0; m < count; ++m) {
    mode_place_[m] = m;
    if (basis == Basis::fourier) {
      const int block = m / RowModes::block_modes;
      mode_place_[m] = 2 * RowModes::block_modes * block + m % RowModes::block_modes;
      mode_place_im_[m] = mode_place_[m] + modes_.width(block);
    }
  }
}

Lanes RowTransform::forward(const double* const rows[lane_count], double* const modes[lane_count], double* work,
                            double* work2) const {
  Lanes sum = all(0.0);
  const int* place = place_.data();
  if (even_) {
    for_columns(rows, nx_, [&](int i, int count, const Lanes* column) {
      sum = sum + sum_of(column);
      for (int c = 0; c < count; ++c) {
        store(work + lane_count * std::int64_t{place[i + c]}, column[c]);
      }
    });
  } else {
    for_columns(rows, nx_, [&](int i, int count, const Lanes* column) {
      sum = sum + sum_of(column);
      for (int c = 0; c < count; ++c) {
        double* const at = work + lane_count * std::int64_t{place[i + c]};
        store(at, column[c]);
        store(at + lane_count, all(0.0));
      }
    });
  }
  fourier_.transform(work, false);

  const int* const re = mode_place_.data();
  const int* const im = mode_place_im_.data();
  const auto put = [&](int d, Lanes value) { store(work2 + lane_count * std::int64_t{d}, value); };
  const auto put_mode = [&](int m, Lanes value_re, Lanes value_im) {
    put(re[m], value_re);
    put(im[m], value_im);
  };
  const auto put_cosine = [&](int m, ComplexLanes v) {
    const ComplexLanes q = multiply(v, all(quarter_[2 * m]), all(quarter_[2 * m + 1]));
    put(m, q.re);
    put(nx_ - m, all(0.0) - q.im);
  };
  if (even_) {
    const int h = nx_ / 2;
    const ComplexLanes z = load_complex(work, 0);
    const Lanes first = z.re + z.im, last = z.re - z.im;
    if (basis_ == Basis::fourier) {
      put_mode(0, first, last);
    } else {
      put(0, first);
      put(h, last * all(quarter_[2 * h]));
    }
    const Lanes half = all(0.5);
    for (int m = 1; 2 * m <= h; ++m) {
      const ComplexLanes a = load_complex(work, m), b = load_complex(work, h - m);
      const ComplexLanes e = {half * (a.re + b.re), half * (a.im - b.im)};
      const ComplexLanes o = {half * (a.im + b.im), half * (b.re - a.re)};
      const ComplexLanes t = multiply(o, all(twiddle_[2 * m]), all(twiddle_[2 * m + 1]));
      const ComplexLanes low = e + t, high = {e.re - t.re, t.im - e.im};
      if (basis_ == Basis::fourier) {
        put_mode(m, low.re, low.im);
        put_mode(h - m, high.re, high.im);
      } else {
        put_cosine(m, low);
        put_cosine(h - m, high);
      }
    }
  } else {
    const Lanes mean = load(work);
    if (basis_ == Basis::fourier) {
      put_mode(0, mean, all(0.0));
    } else {
      put(0, mean);
      put(nx_, all(0.0));
    }
    for (int m = 1; 2 * m < nx_; ++m) {
      const ComplexLanes v = load_complex(work, m);
      if (basis_ == Basis::fourier) {
        put_mode(m, v.re, v.im);
      } else {
        put_cosine(m, v);
      }
    }
  }
  to_columns(modes, static_cast<int>(modes_.doubles()),
             [&](int d) { return load(work2 + lane_count * std::int64_t{d}); });
  return sum;
}

void RowTransform::backward(const double* const modes[lane_count], double* const rows[lane_count], double* work,
                            double* work2) const {
  for_columns(modes, static_cast<int>(modes_.doubles()), [&](int d, int count, const Lanes* column) {
    for (int c = 0; c < count; ++c) {
      store(work2 + lane_count * std::int64_t{d + c}, column[c]);
    }
  });
  const int* const re = mode_place_.data();
  const int* const im = mode_place_im_.data();
  const int* const slot = fourier_.slot().data();
  const auto get = [&](int d) { return load(work2 + lane_count * std::int64_t{d}); };
  const auto get_mode = [&](int m) { return ComplexLanes{get(re[m]), get(im[m])}; };
  // The Fourier mode m of the permuted line: exp(i' pi m / 2n) (X_m - i' X_{n-m}).
  const auto get_cosine = [&](int m) {
    return multiply_conjugate(ComplexLanes{get(m), all(0.0) - get(nx_ - m)}, all(quarter_[2 * m]),
                              all(quarter_[2 * m + 1]));
  };
  const bool is_fourier = basis_ == Basis::fourier;
  if (even_) {
    const int h = nx_ / 2;
    // Everything doubled: the transform of half the length then gives nx times the cells.
    const Lanes first = is_fourier ? get(re[0]) : get(0);
    const Lanes last = is_fourier ? get(im[0]) : get(h) * all(2.0 * quarter_[2 * h]);
    store_complex(work, slot[0], {first + last, first - last});
    for (int m = 1; 2 * m <= h; ++m) {
      const ComplexLanes a = is_fourier ? get_mode(m) : get_cosine(m);
      const ComplexLanes b = is_fourier ? get_mode(h - m) : get_cosine(h - m);
      const ComplexLanes e = {a.re + b.re, a.im - b.im};
      const ComplexLanes t = {a.re - b.re, a.im + b.im};
      const ComplexLanes o = multiply_conjugate(t, all(twiddle_[2 * m]), all(twiddle_[2 * m + 1]));
      store_complex(work, slot[m], {e.re - o.im, e.im + o.re});
      store_complex(work, slot[h - m], {e.re + o.im, o.re - e.im});
    }
  } else {
    store_complex(work, slot[0], {is_fourier ? get(re[0]) : get(0), all(0.0)});
    for (int m = 1; 2 * m < nx_; ++m) {
      const ComplexLanes v = is_fourier ? get_mode(m) : get_cosine(m);
      store_complex(work, slot[m], v);
      store_complex(work, slot[nx_ - m], {v.re, all(0.0) - v.im});
    }
  }
  fourier_.transform(work, true);
  const int* const result = result_.data();
  to_columns(rows, nx_, [&](int i) { return load(work + lane_count * std::int64_t{result[i]}); });
}

}  // namespace halyard::host
