"""What `arena up` is made of: processes that it starts, watches, restarts and stops, and what it says of them.

`launch` becomes a child process · `process` is one child · `fleet` all of them · `parts` which there are ·
`accounts` who may sign in and play · `report` the table, the lines and the JSON.
"""
