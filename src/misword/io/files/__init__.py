"""Reading and writing of files: compression, streams, atomic writes, folders, archives."""
