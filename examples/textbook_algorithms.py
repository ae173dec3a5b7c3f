"""Textbook algorithms in plain Python: nothing here knows of JAX or of this library.

`convert_textbook.py` converts this file with `autograph convert` and compiles the functions of the result. They work
on Python numbers and lists here, and on traced numbers and arrays there.
"""


def greatest_common_divisor(a, b):
    """Euclid's algorithm."""
    while b:
        a, b = b, a % b
    return a


def collatz_steps(n):
    """Steps of the Collatz sequence from `n` down to 1."""
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def integer_square_root(n):
    """The largest integer whose square is at most `n`, by Newton's method."""
    if n < 2:
        return n
    guess = n // 2
    while True:
        better = (guess + n // guess) // 2
        if better >= guess:
            return guess
        guess = better


def is_prime(n):
    """Trial division by 2 and by odd numbers up to the square root."""
    if n < 2:
        return False
    if n % 2 == 0:
        return n == 2
    divisor = 3
    while divisor * divisor <= n:
        if n % divisor == 0:
            return False
        divisor += 2
    return True


def power_modulo(base, exponent, modulus):
    """base ** exponent % modulus by repeated squaring."""
    result = 1
    base = base % modulus
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent //= 2
    return result


def fibonacci(n):
    """The n-th Fibonacci number; fibonacci(0) is 0."""
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def digit_sum(n):
    """Sum of the decimal digits of `n`."""
    total = 0
    while n:
        n, digit = divmod(n, 10)
        total += digit
    return total


def is_leap_year(year):
    """The rule of the Gregorian calendar."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def horner(coefficients, x):
    """Value at `x` of the polynomial with `coefficients`, highest power first."""
    value = 0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


def cube_root(x):
    """Real cube root by bisection to a width of 1e-5."""
    low, high = min(x, -1.0), max(x, 1.0)
    while high - low > 1e-5:
        middle = (low + high) / 2
        if middle**3 < x:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def binary_search(values, wanted):
    """Position of `wanted` in the sorted `values`, or -1."""
    low, high = 0, len(values) - 1
    while low <= high:
        middle = (low + high) // 2
        if values[middle] == wanted:
            return middle
        elif values[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return -1


def insertion_sort(values, count):
    """`values` with its first `count` in ascending order; the sequence itself is overwritten."""
    for unsorted in range(1, count):
        at = unsorted
        while at > 0 and values[at - 1] > values[at]:
            values[at - 1], values[at] = values[at], values[at - 1]
            at -= 1
    return values


def largest_sum(values, count):
    """Largest sum of a run of neighbours among the first `count` (Kadane), its first position and its length."""
    best, best_start, best_length = values[0], 0, 1
    total, start = values[0], 0
    for at in range(1, count):
        if total < 0:
            total, start = values[at], at
        else:
            total = total + values[at]
        if total > best:
            best, best_start, best_length = total, start, at - start + 1
    return best, best_start, best_length


def sieve(prime, size):
    """Sieve of Eratosthenes: `prime` is True for each number from 0 to size - 1; the others become False."""
    prime[0] = prime[1] = False
    number = 2
    while number * number < size:
        if prime[number]:
            for multiple in range(number * number, size, number):
                prime[multiple] = False
        number += 1
    return prime
