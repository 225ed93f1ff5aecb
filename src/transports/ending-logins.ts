import Type, { type Static } from 'typebox'
import type { Callers, HttpApp } from '../http/index.ts'
import type { Caller } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import { inspectDsn } from '../mailer/index.ts'
import { mayUse } from '../resource/index.ts'
import { examineStoredDsns, type StoredDsnReport } from './examine-stored-dsns.ts'
import {
  compareLoginEnds,
  type EndingLoginItem,
  endingLogin,
  presentEndingLogins,
} from './login-end.ts'
import { usageSchema } from './schema.ts'
import type { StoredDsnsOptions } from './stored-dsns.ts'
import type { TransportTables } from './table.ts'

/** Dependencies of `EndingLogins`. */
export interface EndingLoginsOptions extends Pick<StoredDsnsOptions, 'storage' | 'keyring'> {
  clock: Clock
  /** MAILYARD_MAILER_DSN. */
  defaultDsn: string | undefined
  /** What depends on transports, in the order of the ids. */
  countUses: (
    ids: readonly number[],
    caller: Caller,
  ) => Promise<readonly Static<typeof usageSchema>[]>
}

/** How many transports an answer lists. */
const listedMax = 100
/** The time limit for reading DSNs: in a database with many transports, only the first ones are read. */
const timeMs = 1_000

/** The log-ins of transports that stop working, and what depends on each. */
export class EndingLogins {
  readonly #options: EndingLoginsOptions
  #report: Promise<StoredDsnReport> | undefined
  /** The state of the transports that the report is about. */
  #state: string | undefined

  constructor(options: EndingLoginsOptions) {
    this.#options = options
  }

  /** Lists those of the published transports that exist for the caller: those whose log-in ends first come first. */
  async list(caller: Caller): Promise<Static<typeof endingLoginList>> {
    const { clock, countUses } = this.#options
    const now = clock.now()
    const { ending, isComplete } = await this.#examine()
    const visible = ending.filter(
      (row) => caller.mautic === undefined || mayUse(row, caller.mautic.id),
    )
    const published = visible
      .filter(({ isPublished }) => isPublished)
      .map(({ id, name, logins }) => ({ id, name, logins: presentEndingLogins(logins, now) }))
      .sort(compareTransports)
    const listed = published.slice(0, listedMax)
    const uses = await countUses(
      listed.map(({ id }) => id),
      caller,
    )
    return {
      default: caller.mautic === undefined ? this.#listDefault(now) : [],
      transports: listed.map((transport, index) => ({
        ...transport,
        usage: uses[index] ?? { emails: 0, users: 0, mautics: 0 },
      })),
      total: published.length,
      unpublished: visible.length - published.length,
      isComplete,
    }
  }

  #listDefault(now: number) {
    const { defaultDsn } = this.#options
    if (defaultDsn === undefined) return []
    const inspection = inspectDsn(defaultDsn, { hasCommand: true, hasInbox: true })
    return presentEndingLogins(inspection.valid ? inspection.endingLogins : [], now)
  }

  /** Reads the DSNs again only if transports have changed: that takes about half a second for 10,000. */
  async #examine(): Promise<StoredDsnReport> {
    const state = await this.#readState()
    if (this.#report === undefined || this.#state !== state) {
      this.#state = state
      this.#report = examineStoredDsns(this.#options, { timeMs })
      this.#report.catch(() => {
        this.#state = undefined
      })
    }
    return this.#report
  }

  /** Returns a text that is another one after each change: ids are never reused, and a change raises the revision. */
  async #readState(): Promise<string> {
    const db = this.#options.storage.tables<TransportTables>()
    const query = db
      .selectFrom('transports')
      .select(({ fn }) => [
        fn.count('id').as('count'),
        fn.max('id').as('last'),
        fn.sum('revision').as('revisions'),
      ])
    return JSON.stringify(await query.executeTakeFirstOrThrow())
  }
}

interface PresentedTransport {
  id: number
  logins: readonly EndingLoginItem[]
}

/** Compares by the log-in of each that comes first. */
function compareTransports(one: PresentedTransport, other: PresentedTransport): number {
  const [login, otherLogin] = [one.logins[0], other.logins[0]]
  const byEnd =
    login === undefined || otherLogin === undefined ? 0 : compareLoginEnds(login, otherLogin)
  return byEnd || one.id - other.id
}

const endingLoginList = Type.Object(
  {
    default: Type.Array(endingLogin, {
      description: 'The log-ins of the default transport, MAILYARD_MAILER_DSN.',
      examples: [[]],
    }),
    transports: Type.Array(
      Type.Object({
        id: Type.Integer(),
        name: Type.String(),
        logins: Type.Array(endingLogin),
        usage: usageSchema,
      }),
      {
        description: `The published transports; at most ${listedMax}. They and their log-ins have the worst severity first, then by date.`,
        examples: [[]],
      },
    ),
    total: Type.Integer({
      description: 'How many published transports have such a log-in.',
      examples: [0],
    }),
    unpublished: Type.Integer({
      description: 'How many unpublished transports have such a log-in.',
      examples: [0],
    }),
    isComplete: Type.Boolean({
      description: 'False if there are too many transports to read all their DSNs in a second.',
      examples: [true],
    }),
  },
  { title: 'EndingLogins' },
)

/** Adds `GET /api/multipleTransports/endingLogins`. */
export function addEndingLoginsRoute(
  app: HttpApp,
  { endingLogins, callers }: { endingLogins: EndingLogins; callers: Callers },
): void {
  const schema = {
    operationId: 'listEndingLogins',
    summary: 'List the transports whose log-in stops working, and what depends on them',
    description:
      'Log-ins with a password at a provider that ends passwords, and with an access token.',
    tags: ['multipleTransports'],
    response: { 200: endingLoginList },
  }
  const config = { permission: 'multipleTransports:view' as const }
  app.get('/api/multipleTransports/endingLogins', { schema, config }, (request) =>
    endingLogins.list(callers.of(request)),
  )
}
