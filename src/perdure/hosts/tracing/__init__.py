"""Traces: execution → step → attempt → call that leaves, as spans of OpenTelemetry.

Rules: ids follow from what they name, so that an execution that outlives restarts and is carried on by several workers is one
trace, whoever tells which part of it. A span is told when it is over, with its true times, from what is durable. It has ids,
names and statuses, and nothing that anybody gave or got. While tracing is off, the SDK is not imported, and nobody is asked.
"""
