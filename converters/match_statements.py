"""placeholder"""
from autograph.converters.base import StatementConverter
class MatchStatements(StatementConverter):
    pass
