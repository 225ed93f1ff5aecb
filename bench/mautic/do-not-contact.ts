// A connected Mautic whose list of Do not contact has a million entries: how long it takes until all of them are suppressions
// of a domain, and whether memory grows. `node bench/mautic/do-not-contact.ts [entries]`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { MauticTables } from '../../src/mautic/index.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { asAdmin } from '../../test/administrator.ts'
import { apiSettings, startMailyard } from '../../test/mailyard-process.ts'
import { print } from '../print.ts'
import { residentMegabytes } from '../process-usage.ts'
import { startScript } from '../start-script.ts'

async function run(entries: number): Promise<void> {
  const mautic = await startScript(join(import.meta.dirname, 'parts/long-list.ts'), [
    String(entries),
  ])
  const folder = mkdtempSync(join(tmpdir(), 'mailyard-bench-'))
  const databaseUrl = `sqlite:${join(folder, 'mailyard.db')}`
  const service = await startMailyard({ folder, databaseUrl, env: apiSettings })
  const storage = openStorage({ url: databaseUrl, onIdleError: () => undefined })
  try {
    const startedAt = performance.now()
    await connect(service.url, { url: mautic.line, storage })
    const early = await memoryAfter(storage, { pid: service.pid, entries: entries / 5 })
    const late = await memoryAfter(storage, { pid: service.pid, entries })
    const seconds = (performance.now() - startedAt) / 1_000
    const rate = (entries / seconds).toFixed(0)
    print(`${entries} entries in ${seconds.toFixed(0)} s, ${rate} a second`)
    print(
      `memory ${late.toFixed(0)} MB at the end, ${early.toFixed(0)} MB after a fifth: ratio ${(late / early).toFixed(2)}`,
    )
  } finally {
    await storage.close()
    await service.stop()
    mautic.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Connects the Mautic, which has sent from one domain. */
async function connect(
  base: string,
  { url, storage }: { url: string; storage: Storage },
): Promise<void> {
  const body = { name: 'brand', url, clientId: 'client', clientSecret: 'secret' }
  const answer = await fetch(`${base}/api/mautics/new`, {
    method: 'POST',
    headers: { authorization: asAdmin, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(await answer.text())
  const { mautic } = (await answer.json()) as { mautic: { id: number } }
  const domain = { mautic_id: mautic.id, domain: 'sender.test' }
  await storage.tables<MauticTables>().insertInto('mautic_domains').values(domain).execute()
}

/** Returns how much memory a process has when so many entries are suppressions, in megabytes. */
async function memoryAfter(
  storage: Storage,
  { pid, entries }: { pid: number; entries: number },
): Promise<number> {
  for (;;) {
    const domains = storage.tables<MauticTables>().selectFrom('mautic_domains').selectAll()
    const domain = await domains.executeTakeFirst()
    if ((domain?.applied_to ?? 0) >= entries) return residentMegabytes(pid)
    await setTimeout(200)
  }
}

if (import.meta.main) await run(Number(process.argv[2] ?? 1_000_000))
