/** The commands that back up a PostgreSQL database to a file, and restore it into an empty database: without the password. */
export function dumpCommands(url: string, file: string): { dump: string; restore: string } {
  const shown = new URL(url)
  shown.password = ''
  shown.searchParams.delete('password')
  return {
    dump: `pg_dump -Fc -f '${file}' '${shown}'`,
    restore: `pg_restore --no-owner -d '${shown}' '${file}'`,
  }
}
