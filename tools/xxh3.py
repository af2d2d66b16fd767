#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""XXH3-64 in plain Python: bytes and a seed go in, the 64-bit hash comes out, as XXH3_64bits_withSeed computes it.

It is here so that checksums of streams can be verified without any package. It is slow: use it for small files.
"""

MASK32, MASK64 = (1 << 32) - 1, (1 << 64) - 1
PRIME32_1, PRIME32_2, PRIME32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
PRIME64_1, PRIME64_2, PRIME64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
PRIME64_4, PRIME64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
PRIME_MX1, PRIME_MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25
STRIPE, LANES = 64, 8

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8"
    "fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb17"
    "0ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
SECRET_MIN = 136


def _u32(data, at):
    return int.from_bytes(data[at:at + 4], "little")


def _u64(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def _fold(a, b):
    """Both halves of the 128-bit product, one upon the other."""
    product = a * b
    return (product & MASK64) ^ (product >> 64)


def _avalanche(h):
    h ^= h >> 37
    h = h * PRIME_MX1 & MASK64
    return h ^ (h >> 32)


def _avalanche64(h):
    h ^= h >> 33
    h = h * PRIME64_2 & MASK64
    h ^= h >> 29
    h = h * PRIME64_3 & MASK64
    return h ^ (h >> 32)


def _rotate(x, by):
    return (x << by | x >> (64 - by)) & MASK64


def _hash_to_16(data, seed):
    n = len(data)
    if n > 8:
        low = _u64(data, 0) ^ ((_u64(SECRET, 24) ^ _u64(SECRET, 32)) + seed & MASK64)
        high = _u64(data, n - 8) ^ ((_u64(SECRET, 40) ^ _u64(SECRET, 48)) - seed & MASK64)
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return _avalanche(n + swapped + high + _fold(low, high) & MASK64)
    if n >= 4:
        seed ^= int.from_bytes((seed & MASK32).to_bytes(4, "little"), "big") << 32
        mixed = (_u32(data, n - 4) + (_u32(data, 0) << 32)) ^ ((_u64(SECRET, 8) ^ _u64(SECRET, 16)) - seed & MASK64)
        mixed ^= _rotate(mixed, 49) ^ _rotate(mixed, 24)
        mixed = mixed * PRIME_MX2 & MASK64
        mixed ^= (mixed >> 35) + n
        mixed = mixed * PRIME_MX2 & MASK64
        return mixed ^ (mixed >> 28)
    if n > 0:
        joined = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
        return _avalanche64(joined ^ ((_u32(SECRET, 0) ^ _u32(SECRET, 4)) + seed & MASK64))
    return _avalanche64(seed ^ _u64(SECRET, 56) ^ _u64(SECRET, 64))


def _mix16(data, at, secret_at, seed):
    return _fold(_u64(data, at) ^ (_u64(SECRET, secret_at) + seed & MASK64),
                 _u64(data, at + 8) ^ (_u64(SECRET, secret_at + 8) - seed & MASK64))


def _hash_to_128(data, seed):
    n = len(data)
    total = n * PRIME64_1
    for i in range((n - 1) // 32 + 1):
        total += _mix16(data, 16 * i, 32 * i, seed) + _mix16(data, n - 16 * (i + 1), 32 * i + 16, seed)
    return _avalanche(total & MASK64)


def _hash_to_240(data, seed):
    n = len(data)
    total = n * PRIME64_1 + sum(_mix16(data, 16 * i, 16 * i, seed) for i in range(8))
    total = _avalanche(total & MASK64)
    total += sum(_mix16(data, 16 * i, 16 * (i - 8) + 3, seed) for i in range(8, n // 16))
    return _avalanche(total + _mix16(data, n - 16, SECRET_MIN - 17, seed) & MASK64)


def _accumulate(lanes, data, at, secret, secret_at):
    for i in range(LANES):
        value = _u64(data, at + 8 * i)
        keyed = value ^ _u64(secret, secret_at + 8 * i)
        lanes[i ^ 1] = lanes[i ^ 1] + value & MASK64
        lanes[i] = lanes[i] + (keyed & MASK32) * (keyed >> 32) & MASK64


def _merge(lanes, secret, at, start):
    total = start
    for i in range(0, LANES, 2):
        total += _fold(lanes[i] ^ _u64(secret, at + 8 * i), lanes[i + 1] ^ _u64(secret, at + 8 * i + 8))
    return _avalanche(total & MASK64)


def _hash_long(data, seed):
    secret = b"".join((_u64(SECRET, at) + (-seed if at % 16 else seed) & MASK64).to_bytes(8, "little")
                      for at in range(0, len(SECRET), 8))
    lanes = [PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1]
    n, stripes_per_block = len(data), (len(secret) - STRIPE) // 8
    for stripe in range((n - 1) // STRIPE):
        inner = stripe % stripes_per_block
        _accumulate(lanes, data, STRIPE * stripe, secret, 8 * inner)
        if inner == stripes_per_block - 1:
            for i in range(LANES):
                mixed = lanes[i] ^ (lanes[i] >> 47) ^ _u64(secret, len(secret) - STRIPE + 8 * i)
                lanes[i] = mixed * PRIME32_1 & MASK64
    _accumulate(lanes, data, n - STRIPE, secret, len(secret) - STRIPE - 7)
    return _merge(lanes, secret, 11, n * PRIME64_1 & MASK64)


def xxh3_64(data, seed=0):
    """The XXH3-64 hash of `data` (bytes) with `seed`."""
    if len(data) <= 16:
        return _hash_to_16(data, seed)
    if len(data) <= 128:
        return _hash_to_128(data, seed)
    return _hash_to_240(data, seed) if len(data) <= 240 else _hash_long(data, seed)
