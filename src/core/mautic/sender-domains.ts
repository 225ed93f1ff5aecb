import type { Storage } from '../../platform/storage/index.ts'
import type { MauticTables } from './table.ts'

/** A client may send from any domain. */
const domainsMax = 100

/** The domains from which Mautics have sent. Suppressions of these domains concern them. */
export class SenderDomains {
  readonly #storage: Storage
  readonly #onNew: (mauticId: number) => void
  readonly #known = new Map<number, Set<string>>()

  /** @param onNew Called after a Mautic has sent from a domain for the first time. */
  constructor(storage: Storage, onNew: (mauticId: number) => void) {
    this.#storage = storage
    this.#onNew = onNew
  }

  async list(mauticId: number): Promise<string[]> {
    const domains = this.#storage.tables<MauticTables>().selectFrom('mautic_domains')
    const rows = domains.select('domain').where('mautic_id', '=', mauticId).orderBy('domain')
    return (await rows.execute()).map(({ domain }) => domain)
  }

  /** Keeps the domains of a message. A domain is written once by each process. */
  async note(mauticId: number, domains: readonly string[]): Promise<void> {
    const known = this.#known.get(mauticId)
    const isKnown = (domain: string) => domain === '' || known?.has(domain) === true
    if (domains.every(isKnown) || known?.size === domainsMax) return
    const stored = new Set(await this.list(mauticId))
    this.#known.set(mauticId, stored)
    const newDomains = [...new Set(domains)]
      .filter((domain) => domain !== '' && !stored.has(domain))
      .slice(0, Math.max(0, domainsMax - stored.size))
    if (newDomains.length === 0) return
    const rows = newDomains.map((domain) => ({ mautic_id: mauticId, domain }))
    const insert = this.#storage.tables<MauticTables>().insertInto('mautic_domains').values(rows)
    await insert.onConflict((conflict) => conflict.doNothing()).execute()
    for (const domain of newDomains) stored.add(domain)
    this.#onNew(mauticId)
  }
}
