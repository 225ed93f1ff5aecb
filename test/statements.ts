import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DefaultQueryExecutor, PostgresAdapter } from 'kysely'

/** The lines of `src` that have made a statement in this process, by the kind of their database. */
const made = { sqlite: new Set<string>(), postgres: new Set<string>() }

/** Notes which lines make statements from now on, and leaves them in a folder when the process ends. */
export function noteStatements(folder: string): void {
  const { prototype } = DefaultQueryExecutor
  const { compileQuery } = prototype
  prototype.compileQuery = function noted(node, queryId) {
    const { stack = '' } = new Error('Where?')
    const line = /\/(src\/(?!\S+\.test\.ts)\S+\.ts:\d+)/.exec(stack)?.[1]
    const kind = this.adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite'
    if (line !== undefined) made[kind].add(line)
    return compileQuery.call(this, node, queryId) as never
  }
  process.once('exit', () => {
    const lines = { sqlite: [...made.sqlite], postgres: [...made.postgres] }
    writeFileSync(join(folder, `statements-${process.pid}.json`), JSON.stringify(lines))
  })
}

/** Finds the lines whose statements were made on SQLite only, although they are not for SQLite only. */
export function findUntried(folder: string): string[] {
  const sqlite = new Set<string>()
  const postgres = new Set<string>()
  for (const file of globSync('statements-*.json', { cwd: folder })) {
    const lines: Record<keyof typeof made, string[]> = JSON.parse(
      readFileSync(join(folder, file), 'utf8'),
    )
    for (const line of lines.sqlite) sqlite.add(line)
    for (const line of lines.postgres) postgres.add(line)
  }
  return [...sqlite].filter((line) => !postgres.has(line)).toSorted()
}
