"""What stands for a callable in converted code: functions, methods, classes, callables of libraries."""
