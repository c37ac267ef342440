"""How fast it is: durable steps on a real disk, beside what the disk can do and beside other libraries.

Every figure is of executions that were started and have ended. Ours and theirs are driven by the same loop (`driving`), with the
same light step, at the same concurrency, and every commit synced; each tells its settings as it finds them.
"""
