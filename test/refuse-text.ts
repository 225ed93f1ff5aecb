import { sql } from 'kysely'
import type { Storage } from '../src/platform/storage/index.ts'

/** Makes the database refuse outcomes with this text from a server, as it refuses text that it cannot store. */
export async function refuseText(storage: Storage, text: string): Promise<void> {
  const db = storage.tables<unknown>()
  const run = (statement: string) => sql.raw(statement).execute(db)
  const isRefused = `coalesce(new.provider_id, '') || coalesce(new.reply, '') like '%${text}%'`
  if (storage.runsInProcess) {
    for (const event of ['insert', 'update'])
      await run(`create trigger refuse_${event} before ${event} on deliveries when ${isRefused}
        begin select raise(abort, 'unstorable'); end`)
    return
  }
  await run(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'unstorable' using errcode = '22021'; end $$`)
  await run(`create trigger refuse before insert or update on deliveries
    for each row when (${isRefused}) execute function refuse()`)
}
