"""Methods, properties, static and class methods, callables, dataclasses, inheritance, mangling."""

import abc
import dataclasses
import enum

from tests.programs.harness import program


class Account:
    rate = 3

    def __init__(self, balance):
        self.balance = balance
        self.__secret = 5

    def deposit(self, amount):
        if amount > 0:
            self.balance = self.balance + amount
        return self.balance

    def secret(self):
        if self.balance > self.__secret:
            return self.balance - self.__secret
        return self.__secret

    @property
    def rich(self):
        if self.balance > 10:
            return 1
        return 0

    @staticmethod
    def clip(n):
        if n > 7:
            return 7
        return n

    @classmethod
    def scaled(cls, n):
        if n > 5:
            return n * cls.rate
        return n

    def __call__(self, n):
        while n > 3:
            n -= self.rate
        return n

    def __len__(self):
        return 4

    def __add__(self, other):
        if other > 5:
            return Account(self.balance + other)
        return Account(self.balance - other)


class Savings(Account):
    rate = 2

    def deposit(self, amount):
        if amount > 5:
            amount = amount * 2
        return super().deposit(amount) + 1


@dataclasses.dataclass
class Vector:
    x: float
    y: float

    def norm1(self):
        s = 0
        for v in (self.x, self.y):
            s += v if v > 0 else -v
        return s

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)


class Mode(enum.Enum):
    ADD = 1
    SUB = 2


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...

    def bigger(self, k):
        if self.area() > k:
            return self.area()
        return k


class Rectangle(Shape):
    def __init__(self, a, b):
        self.a, self.b = a, b

    def area(self):
        return self.a * self.b


@program((3,), (8,), (-1,))
def method(n):
    return Account(1).deposit(n)


@program((3,), (8,))
def bound_method_in_variable(n):
    m = Account(n).deposit
    return m(n) + m(1)


@program((3,), (8,), (20,))
def property_(n):
    return Account(n).rich


@program((3,), (8,))
def static_and_class_methods(n):
    return Account.clip(n), Account(0).clip(n), Account.scaled(n), Savings.scaled(n)


@program((3,), (8,))
def callable_object(n):
    return Account(0)(n)


@program((3,), (8,))
def private_attribute(n):
    return Account(n).secret()


@program((3,), (8,))
def super_call(n):
    return Savings(1).deposit(n)


@program((3,), (8,))
def operator_method(n):
    return (Account(n) + n).balance + len(Account(n))


@program((3.0, -2.0), (-1.0, -4.0))
def dataclass_method(a, b):
    return (Vector(a, b) + Vector(1.0, 1.0)).norm1()


@program((3, Mode.ADD), (3, Mode.SUB), static=(1,))
def static_enum(n, mode):
    if mode is Mode.ADD:
        return n + 1
    if mode == Mode.SUB:
        return n - 1
    return n


@program((3,), (8,))
def abstract_class(n):
    return Rectangle(n, 2).bigger(10)


@program((3,), (8,))
def object_state_over_a_static_loop(n):
    a = Account(0)
    for k in (1, 2, 3):
        a.deposit(n - k)
    return a.balance


@program((3,), (8,))
def object_in_traced_loop(n):
    a = Account(1)
    while n > 0:
        a.deposit(n)
        n -= 1
    return a.balance


@program((3,), (8,))
def dataclass_replace(n):
    v = Vector(n, 2)
    if n > 5:
        w = dataclasses.replace(v, y=n)
    else:
        w = Vector(v.x, 1)
    return w.x + w.y


@program((3,), (8,))
def instance_attribute_function(n):
    a = Account(0)
    a.rule = lambda k: k * 2 if k > 5 else k
    return a.rule(n)


@program((3,), (8,))
def slots(n):
    class Pair:
        __slots__ = ("a", "b")

        def __init__(self, a, b):
            self.a = a
            self.b = b

        def swap(self):
            if self.a > self.b:
                self.a, self.b = self.b, self.a
            return self

    p = Pair(n, 5).swap()
    return p.a, p.b


@program((3,), (8,))
def iterator_class(n):
    class Countdown:
        def __init__(self, k):
            self.k = k

        def __iter__(self):
            return self

        def __next__(self):
            if self.k == 0:
                raise StopIteration
            self.k -= 1
            return self.k

    s = n
    for i in Countdown(3):
        s = s * 2 + i
    return s


@program((3,), (8,))
def dunder_bool_of_user_class(n):
    class Flag:
        def __init__(self, on):
            self.on = on

        def __bool__(self):
            return self.on

    if Flag(True) and not Flag(False):
        n = n + 1
    return n


@program((3,), (8,))
def inherited_method_of_closure_class(n):
    class Base:
        def step(self, k):
            if k > 5:
                return k - self.by()
            return k

        def by(self):
            return 1

    class Child(Base):
        def by(self):
            return n

    return Child().step(n + 1)
