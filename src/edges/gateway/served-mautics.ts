import { isIP } from 'node:net'
import type { Mautic } from '../../core/mautic/index.ts'
import type { Clock } from '../../kit/clock.ts'
import type { Log } from '../../kit/log.ts'
import { SharedCopy } from '../../kit/shared-copy.ts'

/** What the gateway reads of a connected Mautic. */
export type PublishedMautic = Pick<
  Mautic,
  'id' | 'name' | 'url' | 'hosts' | 'roleMap' | 'loginRules' | 'brand'
>

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

/** They are read again after this time, in case that `reload` was not called for a change of another process. */
const refreshMs = 1_000

interface Served {
  byHost: ReadonlyMap<string, ServedMautic>
  byName: ReadonlyMap<string, ServedMautic>
}

/** The published Mautics in memory: each request asks for one. They are read again while requests arrive. */
export class ServedMautics {
  readonly #served: SharedCopy<Served>

  constructor(listPublished: () => Promise<readonly PublishedMautic[]>, clock: Clock, log: Log) {
    this.#served = new SharedCopy<Served>({
      read: async () => {
        const mautics = (await listPublished()).map(withAddress)
        return {
          byHost: new Map(mautics.flatMap((each) => each.hosts.map((host) => [host, each]))),
          byName: new Map(mautics.map((each) => [each.name, each])),
        }
      },
      empty: { byHost: new Map(), byName: new Map() },
      clock,
      log,
      events: {
        failed: 'connected mautics not read',
        recovered: 'connected mautics read again',
      },
    })
  }

  /** Finds a Mautic by the Host header of a request. */
  findByHost(host: string | undefined): ServedMautic | undefined {
    const { byHost } = this.#served.renew(refreshMs)
    if (byHost.size === 0 || host === undefined) return undefined
    const name = hostNameOf(host)
    return name === undefined ? undefined : byHost.get(name)
  }

  findByName(name: string): ServedMautic | undefined {
    return this.#served.value.byName.get(name)
  }

  /** Reads them again, after they were changed. */
  reload(): Promise<void> {
    return this.#served.reload()
  }

  /** Waits for a running read. */
  close(): Promise<void> {
    return this.#served.stop()
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
