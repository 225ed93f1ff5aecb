import type { Storage } from '../storage/index.ts'
import type { MauticTables } from './table.ts'

/** The domains from which Mautics have sent. Suppressions of these domains concern them. */
export interface SenderDomains {
  /** Keeps the domains of a message. A domain is written once by each process. */
  note(mauticId: number, domains: readonly string[]): Promise<void>
  list(mauticId: number): Promise<string[]>
}

/** A client may send from any domain. */
const domainsMax = 100

/** @param onNew Called after a Mautic has sent from a domain for the first time. */
export function openSenderDomains(
  storage: Storage,
  onNew: (mauticId: number) => void,
): SenderDomains {
  const db = storage.tables<MauticTables>()
  const known = new Map<number, Set<string>>()
  const list = async (mauticId: number) => {
    const query = db.selectFrom('mautic_domains').select('domain').orderBy('domain')
    const rows = await query.where('mautic_id', '=', mauticId).execute()
    return rows.map(({ domain }) => domain)
  }
  const write = async (mauticId: number, domains: readonly string[]) => {
    const own = new Set(await list(mauticId))
    known.set(mauticId, own)
    const fresh = domains
      .filter((domain) => !own.has(domain))
      .slice(0, Math.max(0, domainsMax - own.size))
    if (fresh.length === 0) return
    const rows = fresh.map((domain) => ({ mautic_id: mauticId, domain }))
    const insert = db.insertInto('mautic_domains').values(rows)
    await insert.onConflict((conflict) => conflict.doNothing()).execute()
    for (const domain of fresh) own.add(domain)
    onNew(mauticId)
  }
  return {
    list,
    async note(mauticId, domains) {
      const own = known.get(mauticId)
      const isKnown = (domain: string) => domain === '' || own?.has(domain) === true
      if (domains.every(isKnown) || own?.size === domainsMax) return
      await write(
        mauticId,
        [...new Set(domains)].filter((domain) => !isKnown(domain)),
      )
    },
  }
}
