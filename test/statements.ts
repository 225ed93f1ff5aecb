import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DefaultQueryExecutor, PostgresAdapter } from 'kysely'

/** The lines of `src` that have made a statement in this process, by the kind of their database. */
const made = { sqlite: new Set<string>(), postgres: new Set<string>() }

/** What only SQLite is asked: its own folder, the triggers of its schema, and what is read or counted in another way on PostgreSQL. */
const sqliteOnly =
  /^src\/(platform\/storage\/(sqlite\/|migrate|storage|change-tables)|core\/(queue\/removals|.*\/fold-changes|suppressions\/find-suppressions)|.*\/(counts-)?table)/

/** Notes which lines make statements from now on, and leaves them in a folder when the process ends. */
export function noteStatements(folder: string): void {
  const { prototype } = DefaultQueryExecutor
  const compileQuery = Reflect.get(prototype, 'compileQuery')
  prototype.compileQuery = function noted(...asked) {
    Error.stackTraceLimit = 50
    const { stack = '' } = new Error('Where?')
    Error.stackTraceLimit = 10
    const line = /\/(src\/(?!\S+\.test\.ts)\S+\.ts:\d+)/.exec(stack)?.[1]
    const kind = this.adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite'
    if (line !== undefined) made[kind].add(line)
    return compileQuery.apply(this, asked)
  }
  process.once('exit', () => {
    const lines = { sqlite: [...made.sqlite], postgres: [...made.postgres] }
    writeFileSync(join(folder, `statements-${process.pid}.json`), JSON.stringify(lines))
  })
}

/**
 * Finds the lines whose statements were made on SQLite alone, although they are not for SQLite alone: they may fail on PostgreSQL.
 * Only a run of all suites tells.
 */
export function findUntried(folder: string): string[] {
  const files = globSync('statements-*.json', { cwd: folder })
  if (files.length < globSync('suites/*.ts', { cwd: import.meta.dirname }).length) return []
  const lines: Record<keyof typeof made, string[]>[] = files.map((file) =>
    JSON.parse(readFileSync(join(folder, file), 'utf8')),
  )
  const postgres = new Set(lines.flatMap((each) => each.postgres))
  const sqlite = new Set(lines.flatMap((each) => each.sqlite))
  return [...sqlite].filter((line) => !postgres.has(line) && !sqliteOnly.test(line)).toSorted()
}
