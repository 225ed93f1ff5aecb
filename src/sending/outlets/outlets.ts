import type { Log } from '../../kit/log.ts'
import type { Mailer, Transport } from '../../mailer/index.ts'
import type { Transports } from '../../transports/index.ts'
import type { Exit } from '../way/way.ts'

/**
 * The open transports, one for each row: pools, rate limits and the memory of failed members live in
 * them, so they are shared by everything that sends, and opened anew when their DSN changes.
 */
export interface Outlets {
  /** Throws DsnError; undefined where there is no transport at all. */
  open(exit: Exit): Promise<Outlet | undefined>
  close(): Promise<void>
}

/** An open transport and what it is called. */
export interface Outlet {
  transport: Transport
  /** Null for the default. */
  transportId: number | null
  name: string
}

/** What outlets are made of. */
export interface OutletOptions {
  mailer: Mailer
  transports: Transports
  /** The operator's default. */
  defaultDsn: string | undefined
  log: Log
}

interface OpenOutlet {
  /** The sealed DSN that it was opened with. */
  sealed: string
  outlet: Outlet
}

export function openOutlets({ mailer, transports, defaultDsn, log }: OutletOptions): Outlets {
  const open = new Map<number, OpenOutlet>()
  let byDefault: Outlet | undefined
  const closeLater = (outlet: Outlet) => {
    outlet.transport.close().catch((err: unknown) => log.warn({ err }, 'a transport did not close'))
  }
  return {
    async open(exit) {
      if (exit.kind === 'none') return undefined
      if (exit.kind === 'default') {
        if (defaultDsn === undefined) return undefined
        byDefault ??= { transport: mailer.open(defaultDsn), transportId: null, name: 'default' }
        return byDefault
      }
      const { row } = exit
      const known = open.get(row.id)
      if (known?.sealed === row.mailer_dsn) return known.outlet
      const transport = mailer.open(await transports.dsnOf(row))
      const outlet = { transport, transportId: row.id, name: row.name }
      // Somebody else may have opened it while the DSN was being read.
      const other = open.get(row.id)
      open.set(row.id, { sealed: row.mailer_dsn, outlet })
      if (other !== undefined) closeLater(other.outlet)
      return outlet
    },
    async close() {
      const all = [...open.values()].map(({ outlet }) => outlet)
      open.clear()
      await Promise.all(
        [...all, ...(byDefault === undefined ? [] : [byDefault])].map((each) =>
          each.transport.close(),
        ),
      )
    },
  }
}
