import { isIP } from 'node:net'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { createOutage, type Outage } from '../kit/outage.ts'
import type { Mautic } from '../mautic/index.ts'

/** What the gateway reads of a connected Mautic. */
export type PublishedMautic = Pick<Mautic, 'id' | 'name' | 'url' | 'hosts' | 'roleMap'>

/** A connected Mautic, with the parts of its address. */
export interface ServedMautic extends PublishedMautic {
  /** `https://mautic.example.com` */
  readonly origin: string
  /** With its port, if any. */
  readonly host: string
  /** The name for TLS; undefined for an address, which then has the certificate of the name in the Host header. */
  readonly servername: string | undefined
  /** Begins all paths: `/mautic`, or empty. */
  readonly basePath: string
}

/** They are read again after this time, in case that `load` was not called for a change of another process. */
const refreshMs = 1_000

/** The published Mautics in memory: each request asks for one. They are read again while requests arrive. */
export class ServedMautics {
  readonly #listPublished: () => Promise<readonly PublishedMautic[]>
  readonly #clock: Clock
  readonly #outage: Outage
  #byHost = new Map<string, ServedMautic>()
  #byName = new Map<string, ServedMautic>()
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(listPublished: () => Promise<readonly PublishedMautic[]>, clock: Clock, log: Log) {
    this.#listPublished = listPublished
    this.#clock = clock
    this.#outage = createOutage(log, {
      level: 'warn',
      failed: 'connected mautics not read',
      recovered: 'connected mautics read again',
    })
  }

  /** Finds a Mautic by the Host header of a request. */
  findByHost(host: string | undefined): ServedMautic | undefined {
    if (this.#clock.monotonic() - this.#readAt > refreshMs && this.#reading === undefined)
      this.#read().catch(this.#outage.report)
    if (this.#byHost.size === 0 || host === undefined) return undefined
    const name = hostNameOf(host)
    return name === undefined ? undefined : this.#byHost.get(name)
  }

  findByName(name: string): ServedMautic | undefined {
    return this.#byName.get(name)
  }

  /** Reads them again, after they were changed. */
  async load(): Promise<void> {
    // A running read may have missed the change.
    await this.close()
    await this.#read()
  }

  /** Waits for a running read. */
  async close(): Promise<void> {
    await this.#reading?.catch(() => undefined)
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readAll(): Promise<void> {
    this.#readAt = this.#clock.monotonic()
    const mautics = (await this.#listPublished()).map(withAddress)
    this.#byHost = new Map(mautics.flatMap((mautic) => mautic.hosts.map((host) => [host, mautic])))
    this.#byName = new Map(mautics.map((mautic) => [mautic.name, mautic]))
    this.#outage.recover()
  }
}

function withAddress(mautic: PublishedMautic): ServedMautic {
  const { origin, host, hostname, pathname } = new URL(mautic.url)
  const isAddress = hostname.startsWith('[') || isIP(hostname) !== 0
  return {
    ...mautic,
    origin,
    host,
    servername: isAddress ? undefined : hostname,
    basePath: pathname.replace(/\/$/, ''),
  }
}

/** The name in a Host header: in lower case, without port and final dot. Undefined for what is no name and port. */
function hostNameOf(host: string): string | undefined {
  return /^([^:]+?)\.?(?::\d{1,5})?$/.exec(host)?.[1]?.toLowerCase()
}
