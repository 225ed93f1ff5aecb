import Type, { type Static } from 'typebox'
import type { Callers, HttpApp } from '../http/index.ts'
import type { Caller } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import { inspectDsn } from '../mailer/index.ts'
import { mayUse } from '../resource/index.ts'
import { endingLogin, presentEndingLogin } from './ending.ts'
import {
  type EndingTransport,
  examineStoredDsns,
  type StoredDsnReport,
} from './examine-stored-dsns.ts'
import { usageSchema } from './schema.ts'
import type { StoredDsnsOptions } from './stored-dsns.ts'

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
/** For how long the report of the stored DSNs is kept. */
const keptMs = 5_000
/** Of a database with many transports, only the first DSNs are read. */
const timeMs = 1_000

/** The log-ins of transports that stop working, and what depends on each. */
export class EndingLogins {
  readonly #options: EndingLoginsOptions
  #report: Promise<StoredDsnReport> | undefined
  #examinedAt = 0

  constructor(options: EndingLoginsOptions) {
    this.#options = options
  }

  /** Lists those of the published transports that exist for the caller: those that end first come first. */
  async list(caller: Caller): Promise<Static<typeof endingLoginList>> {
    const { clock, countUses } = this.#options
    const now = clock.now()
    const { ending, isComplete } = await this.#examine()
    const visible = ending.filter(
      (row) => caller.mautic === undefined || mayUse(row, caller.mautic.id),
    )
    const published = visible.filter(({ isPublished }) => isPublished).sort(byDate)
    const listed = published.slice(0, listedMax)
    const uses = await countUses(
      listed.map(({ id }) => id),
      caller,
    )
    return {
      default: caller.mautic === undefined ? this.#listDefault(now) : [],
      transports: listed.map(({ id, name, logins }, index) => ({
        id,
        name,
        logins: logins.map((login) => presentEndingLogin(login, now)),
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
    const logins = inspection.valid ? inspection.endingLogins : []
    return logins.map((login) => presentEndingLogin(login, now))
  }

  /** Callers at the same time, and within some seconds, get the same report. */
  #examine(): Promise<StoredDsnReport> {
    const now = performance.now()
    if (this.#report === undefined || now - this.#examinedAt > keptMs) {
      this.#examinedAt = now
      this.#report = examineStoredDsns(this.#options, { timeMs })
      this.#report.catch(() => {
        this.#report = undefined
      })
    }
    return this.#report
  }
}

/** An access token ends before each date. */
function byDate(one: EndingTransport, other: EndingTransport): number {
  const [date, otherDate] = [firstDate(one), firstDate(other)]
  if (date === otherDate) return one.id - other.id
  return date < otherDate ? -1 : 1
}

function firstDate({ logins }: EndingTransport): string {
  return logins.map(({ date }) => date ?? '').sort()[0] ?? ''
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
        description: `The published transports; at most ${listedMax}, those that end first.`,
        examples: [[]],
      },
    ),
    total: Type.Integer({ description: 'Of the published transports.', examples: [0] }),
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
      'Log-ins with a password at a provider that ends passwords, and with an access token. The DSNs are read again after 5 seconds.',
    tags: ['multipleTransports'],
    response: { 200: endingLoginList },
  }
  const config = { permission: 'multipleTransports:view' as const }
  app.get('/api/multipleTransports/endingLogins', { schema, config }, (request) =>
    endingLogins.list(callers.of(request)),
  )
}
