import Type, { type Static } from 'typebox'
import { formatOptionalDate } from '../../kit/iso-date.ts'
import { nullable } from '../../platform/http/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { MirrorStore } from './mirror/mirror-store.ts'
import type { StateStore } from './state-store.ts'
import type { MauticEmailRow, MauticTables, MauticUserRow, MauticWebhookRow } from './table.ts'
import type { WebhookStore } from './webhooks/webhook-store.ts'

const webhookStatus = Type.Object({
  id: Type.Integer({ description: 'In Mautic.' }),
  url: Type.String({ description: 'Where Mautic sends it.' }),
  acceptsUnproven: Type.Boolean({
    description: 'Whether it was created although Mailyard does not reach itself at this URL.',
  }),
  dateLastChange: nullable(Type.String(), {
    description: 'When Mautic last sent a change; null: none has come yet.',
  }),
  problem: nullable(Type.String(), { description: 'What is wrong with it, and what to do.' }),
  problemSince: nullable(Type.String(), { description: 'Since when there is this problem.' }),
})

const date = (description: string) => nullable(Type.String(), { description })

/** How the synchronization of a Mautic stands. */
export const mauticStatus = Type.Object(
  {
    emails: Type.Integer({ description: 'How many emails are known.' }),
    users: Type.Integer({ description: 'How many users are known.' }),
    dateRead: date('When changes were last read; null: not yet.'),
    dateReadAll: date('When all emails and users were last read; null: not yet.'),
    problem: nullable(Type.String(), {
      description: 'What is wrong, and what to do. What is known stays in force.',
    }),
    problemSince: date('Since when there is this problem.'),
    isReinstalled: Type.Boolean({
      description:
        'Whether its ids mean other emails or users than before. Nothing is read until an administrator accepts that.',
    }),
    webhook: Type.Union([webhookStatus, Type.Null()], {
      description: 'The webhook that Mailyard created in it; null: none.',
    }),
    dateLastMessage: date(
      'When its last message came, as far back as deliveries are kept; null: none has come.',
    ),
    transport: Type.Union([Type.Object({ id: Type.Integer(), name: Type.String() }), Type.Null()], {
      description: 'Its default transport; null: that of Mailyard, if it has one.',
    }),
  },
  {
    title: 'MauticStatus',
    description: 'What is known of its emails and users, and since when it cannot be read.',
    examples: [
      {
        emails: 40,
        users: 12,
        dateRead: '2026-01-31T15:54:35+00:00',
        dateReadAll: '2026-01-31T15:54:35+00:00',
        problem: null,
        problemSince: null,
        isReinstalled: false,
        webhook: {
          id: 3,
          url: 'https://mail.example.com/webhooks/mautic/1',
          acceptsUnproven: false,
          dateLastChange: '2026-01-31T15:20:08+00:00',
          problem: null,
          problemSince: null,
        },
        dateLastMessage: '2026-01-31T15:40:12+00:00',
        transport: { id: 1, name: 'Shop' },
      },
    ],
  },
)
export type MauticStatus = Static<typeof mauticStatus>

export interface StatusParts {
  storage: Storage
  states: Pick<StateStore, 'list'>
  emails: Pick<MirrorStore<MauticEmailRow>, 'count'>
  users: Pick<MirrorStore<MauticUserRow>, 'count'>
  webhooks: Pick<WebhookStore, 'list'>
  findTransportNames: (ids: readonly number[]) => Promise<ReadonlyMap<number, string>>
  findLastMessages: (ids: readonly number[]) => Promise<ReadonlyMap<number, number>>
}

/** Finds how Mautics stand, for the member `status` of lists: their synchronization, webhook, last message and transport. */
export class MauticStatuses {
  readonly schema = mauticStatus
  readonly #parts: StatusParts

  constructor(parts: StatusParts) {
    this.#parts = parts
  }

  /** Returns the status of each Mautic, in the order of the ids. */
  readonly find = async (ids: readonly number[]): Promise<MauticStatus[]> => {
    const { states, webhooks, emails, users, findLastMessages } = this.#parts
    const stateById = await states.list(ids)
    const webhookById = await webhooks.list(ids)
    const transportById = await this.#findTransports(ids)
    const lastMessageById = await findLastMessages(ids)
    return Promise.all(
      ids.map(async (id) => {
        const state = stateById.get(id)
        return {
          emails: await emails.count(id),
          users: await users.count(id),
          dateRead: formatOptionalDate(state?.polled_at ?? null),
          dateReadAll: formatOptionalDate(state?.synchronized_at ?? null),
          problem: state?.problem ?? null,
          problemSince: formatOptionalDate(state?.problem_since ?? null),
          isReinstalled: Boolean(state?.is_reinstalled),
          webhook: presentWebhook(webhookById.get(id)),
          dateLastMessage: formatOptionalDate(lastMessageById.get(id) ?? null),
          transport: transportById.get(id) ?? null,
        }
      }),
    )
  }

  /** Returns the default transports of Mautics, by the id of the Mautic. */
  async #findTransports(ids: readonly number[]) {
    const { storage, findTransportNames } = this.#parts
    if (ids.length === 0) return new Map<number, MauticStatus['transport']>()
    const query = storage
      .tables<MauticTables>()
      .selectFrom('mautics')
      .select(['id', 'transport_id'])
    const rows = await query.where('id', 'in', [...ids]).execute()
    const names = await findTransportNames(rows.flatMap((row) => row.transport_id ?? []))
    return new Map<number, MauticStatus['transport']>(
      rows.map(({ id, transport_id: transportId }) => {
        const name = transportId === null ? undefined : names.get(transportId)
        return [id, transportId === null || name === undefined ? null : { id: transportId, name }]
      }),
    )
  }
}

function presentWebhook(row: MauticWebhookRow | undefined): MauticStatus['webhook'] {
  if (row === undefined) return null
  return {
    id: row.hook_id,
    url: row.url,
    acceptsUnproven: Boolean(row.accepts_unproven),
    dateLastChange: formatOptionalDate(row.arrived_at),
    problem: row.problem,
    problemSince: formatOptionalDate(row.problem_since),
  }
}

/** A published Mautic that has a problem, itself or with its webhook. */
export interface MauticProblem {
  id: number
  name: string
  problem: string
  /** ISO 8601. */
  since: string | null
}

/** Lists where the connected Mautics are. */
export async function listMauticUrls(storage: Storage): Promise<string[]> {
  const db = storage.tables<MauticTables>()
  const rows = await db
    .selectFrom('mautics')
    .select('url')
    .where('is_published', '=', true)
    .execute()
  return rows.map(({ url }) => url)
}

/** Lists the published Mautics that have a problem, or whose webhook has one. */
export async function listMauticProblems(
  storage: Storage,
  of: 'mautic_states' | 'mautic_webhooks',
): Promise<MauticProblem[]> {
  const rows = await storage
    .tables<MauticTables>()
    .selectFrom('mautics')
    .innerJoin(`${of as 'mautic_states'} as state`, 'state.mautic_id', 'mautics.id')
    .select(['mautics.id', 'name', 'problem', 'problem_since'])
    .where('is_published', '=', true)
    .where('problem', 'is not', null)
    .orderBy('name')
    .execute()
  return rows.map(({ id, name, problem, problem_since: since }) => ({
    id,
    name,
    problem: problem ?? '',
    since: formatOptionalDate(since),
  }))
}
