// Searches of 100,000 contacts: their time, and how long they block the event loop, beside the same statement on the connection that
// serves everything else. Goal: no block above 100 ms on SQLite. `node bench/api/searches.ts`
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { openDatabase } from '../../src/app.ts'
import { defaultConfig } from '../../src/config/index.ts'
import { createLog } from '../../src/kit/log.ts'
import { type Filter, listRows, type Storage, wholeList } from '../../src/storage/index.ts'
import { testDatabases } from '../../test/databases.ts'
import { print } from '../print.ts'

const count = 100_000
const table = {
  table: 'contacts',
  nameColumn: 'email',
  fields: { email: { column: 'email', type: 'text' } },
} as const
const word = 'a'.repeat(190)
const searches: Record<string, { filter: Filter; where: RawBuilder<unknown> }> = {
  'a word that is not found': {
    filter: { op: 'text', text: 'missing' },
    where: sql`substr(search_text, 1, 1000) like '%missing%'`,
  },
  'two words of 190 letters': {
    filter: { op: 'and', of: [0, 1].map((part) => ({ op: 'text', text: `${word}${part}` })) },
    where: sql`substr(search_text, 1, 1000) like ${`%${word}0%`} and substr(search_text, 1, 1000) like ${`%${word}1%`}`,
  },
}

async function fill(storage: Storage): Promise<void> {
  const numbers = storage.runsInProcess
    ? sql`(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)}) select i from n)`
    : sql`(select generate_series(1, ${sql.lit(count)}) as i)`
  await sql`insert into contacts (is_published, date_added, revision, points, search_text, email, field_values, tags, segments)
    select ${sql.lit(storage.runsInProcess ? 1 : true)}, 1, 1, 0, 'person' || i || '@example.com', 'person' || i || '@example.com', '{}', '[]', '[]'
    from ${numbers} as numbers`.execute(storage.tables())
}

async function measure(name: string, work: () => Promise<unknown>): Promise<number> {
  await work()
  const watch = monitorEventLoopDelay({ resolution: 1 })
  watch.enable()
  await setTimeout(20)
  watch.reset()
  // It measures from its first tick.
  await setTimeout(5)
  const startedAt = performance.now()
  await work()
  const ms = performance.now() - startedAt
  await setTimeout(5)
  watch.disable()
  print(
    `${name}: ${ms.toFixed(0)} ms, event loop held for ${(watch.max / 1e6).toFixed(0)} ms at most`,
  )
  return watch.max
}

for (const { name, create } of testDatabases) {
  const database = await create()
  const config = { ...defaultConfig(), databaseUrl: database.url }
  const { storage } = await openDatabase({ config, log: createLog('silent') })
  await fill(storage)
  for (const [search, { filter, where }] of Object.entries(searches)) {
    const query = { ...wholeList, filter, limit: 30 }
    const asList = await measure(`${name}, ${search}, as a list`, async () => {
      const list = listRows(storage, table, { query, caller: { userId: 1 } })
      await list.count()
      await list.pages().next()
    })
    const asStatement = await measure(`${name}, ${search}, as a statement`, async () => {
      const db = storage.tables()
      await sql`select count(*) from contacts where ${where}`.execute(db)
      await sql`select * from contacts where ${where} order by id limit 30`.execute(db)
    })
    print(`${name}, ${search}: ${(asStatement / asList).toFixed(1)} times as long a block`)
  }
  await storage.close()
  await database.drop()
}
