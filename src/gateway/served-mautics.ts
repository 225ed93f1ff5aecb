import { isIP } from 'node:net'

/** What the gateway reads of a connected Mautic. */
export interface PublishedMautic {
  readonly id: number
  readonly name: string
  /** Without a slash at the end. */
  readonly url: string
  /** In lower case. */
  readonly hosts: readonly string[]
  /** Ids of Mailyard's roles, by the name of a role of this Mautic. */
  readonly roleMap: ReadonlyMap<string, number>
}

/** A connected Mautic, with the parts of its address. */
export interface ServedMautic extends PublishedMautic {
  /** `https://mautic.example.com` */
  readonly origin: string
  /** With its port, if any. */
  readonly host: string
  readonly hostname: string
  /** The name for TLS; undefined for an address, which then has the certificate of the name in the Host header. */
  readonly servername: string | undefined
  /** Begins all paths: `/mautic`, or empty. */
  readonly basePath: string
}

/** The published Mautics in memory: each request asks for one. They are read again while requests arrive. */
export interface ServedMautics {
  /** By the Host header of a request. */
  findByHost(host: string | undefined): ServedMautic | undefined
  findByName(name: string): ServedMautic | undefined
  /** Reads them again, after they were changed. */
  load(): Promise<void>
  /** Waits for a running read. */
  close(): Promise<void>
}

export interface ServedMauticsOptions {
  listPublished: () => Promise<readonly PublishedMautic[]>
  onError: (error: unknown) => void
}

/** They are read again after this time, in case that `load` was not called for a change of another process. */
const refreshMs = 1_000

export function openServedMautics(options: ServedMauticsOptions): ServedMautics {
  const { listPublished, onError } = options
  let byHost = new Map<string, ServedMautic>()
  let byName = new Map<string, ServedMautic>()
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined
  const read = async () => {
    readAt = performance.now()
    const mautics = (await listPublished()).map(withAddress)
    byHost = new Map(mautics.flatMap((mautic) => mautic.hosts.map((host) => [host, mautic])))
    byName = new Map(mautics.map((mautic) => [mautic.name, mautic]))
  }
  const load = () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
  const refresh = () => {
    if (performance.now() - readAt > refreshMs && reading === undefined) load().catch(onError)
  }
  return {
    findByHost(host) {
      refresh()
      if (byHost.size === 0 || host === undefined) return undefined
      const name = hostNameOf(host)
      return name === undefined ? undefined : byHost.get(name)
    },
    findByName: (name) => byName.get(name),
    // A running read may have missed the change.
    async load() {
      await reading?.catch(() => undefined)
      await load()
    },
    async close() {
      await reading?.catch(() => undefined)
    },
  }
}

function withAddress(mautic: PublishedMautic): ServedMautic {
  const { origin, host, hostname, pathname } = new URL(mautic.url)
  const isAddress = hostname.startsWith('[') || isIP(hostname) !== 0
  return {
    ...mautic,
    ...{ origin, host, hostname },
    servername: isAddress ? undefined : hostname,
    basePath: pathname.replace(/\/$/, ''),
  }
}

/** The name in a Host header: in lower case, without port and final dot. Undefined for what is no name and port. */
function hostNameOf(host: string): string | undefined {
  return /^([^:]+?)\.?(?::\d{1,5})?$/.exec(host)?.[1]?.toLowerCase()
}
