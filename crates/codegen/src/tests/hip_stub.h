// What generated HIP uses of AMD's headers, declared for a C++ compiler that has none of them.
#pragma once
#include <cmath>
#define __global__
#define __device__
#define __shared__
#define __forceinline__ inline
#define __launch_bounds__(n)
#define __syncthreads() ((void)0)
struct tir_stub_dim { unsigned int x, y, z; };
extern const tir_stub_dim blockIdx, threadIdx;
struct __half { unsigned short bits; };
float __half2float(__half);
__half __float2half_rn(float);
__half __ushort_as_half(unsigned short);
unsigned short __half_as_ushort(__half);
int __float_as_int(float);
float __int_as_float(int);
unsigned int __float_as_uint(float);
float __uint_as_float(unsigned int);
long long __double_as_longlong(double);
double __longlong_as_double(long long);
int __popc(unsigned int);
int __popcll(unsigned long long);
int __clz(int);
int __clzll(long long);
float rsqrtf(float);
template <class T> T __shfl(T, int, int);
template <class T> T __shfl_up(T, unsigned int, int);
template <class T> T __shfl_down(T, unsigned int, int);
template <class T> T __shfl_xor(T, int, int);
