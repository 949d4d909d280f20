"""Reading and writing of files: compression, checks, atomic writes, folders, archives."""
