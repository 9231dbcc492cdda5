"""The gRPC server that bots dial: streams of bots on one side, the bus on the other. README.md lists its modules."""
