import Type, { type Static } from 'typebox'
import { nullable } from '../http/index.ts'
import { formatOptionalDate } from '../kit/iso-date.ts'
import type { Storage } from '../storage/index.ts'
import type { MirrorStore } from './mirror/mirror-store.ts'
import type { StateStore } from './state-store.ts'
import type { MauticEmailRow, MauticTables, MauticUserRow, MauticWebhookRow } from './table.ts'
import type { WebhookStore } from './webhooks/webhook-store.ts'

const webhookStatus = Type.Object({
  id: Type.Integer({ description: 'In Mautic.' }),
  url: Type.String({ description: 'Where Mautic sends it.' }),
  announcesMessages: Type.Boolean({
    description: 'Whether Mautic calls Mailyard for each message.',
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
          announcesMessages: false,
          problem: null,
          problemSince: null,
        },
      },
    ],
  },
)
export type MauticStatus = Static<typeof mauticStatus>

/** Finds how the synchronization of Mautics stands, for the member `status` of lists. */
export class MauticStatuses {
  readonly schema = mauticStatus
  readonly #states: Pick<StateStore, 'list'>
  readonly #emails: Pick<MirrorStore<MauticEmailRow>, 'count'>
  readonly #users: Pick<MirrorStore<MauticUserRow>, 'count'>
  readonly #webhooks: Pick<WebhookStore, 'list'>

  constructor(parts: {
    states: Pick<StateStore, 'list'>
    emails: Pick<MirrorStore<MauticEmailRow>, 'count'>
    users: Pick<MirrorStore<MauticUserRow>, 'count'>
    webhooks: Pick<WebhookStore, 'list'>
  }) {
    this.#states = parts.states
    this.#emails = parts.emails
    this.#users = parts.users
    this.#webhooks = parts.webhooks
  }

  /** Returns the status of each Mautic, in the order of the ids. */
  readonly find = async (ids: readonly number[]): Promise<MauticStatus[]> => {
    const states = await this.#states.list(ids)
    const webhooks = await this.#webhooks.list(ids)
    return Promise.all(
      ids.map(async (id) => {
        const state = states.get(id)
        return {
          emails: await this.#emails.count(id),
          users: await this.#users.count(id),
          dateRead: formatOptionalDate(state?.polled_at ?? null),
          dateReadAll: formatOptionalDate(state?.synchronized_at ?? null),
          problem: state?.problem ?? null,
          problemSince: formatOptionalDate(state?.problem_since ?? null),
          isReinstalled: Boolean(state?.is_reinstalled),
          webhook: presentWebhook(webhooks.get(id)),
        }
      }),
    )
  }
}

function presentWebhook(row: MauticWebhookRow | undefined): MauticStatus['webhook'] {
  if (row === undefined) return null
  return {
    id: row.hook_id,
    url: row.url,
    announcesMessages: Boolean(row.announces_messages),
    problem: row.problem,
    problemSince: formatOptionalDate(row.problem_since),
  }
}

/** A published Mautic, and why it cannot be read. */
export interface MauticProblem {
  name: string
  problem: string | null
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

/** Lists the published Mautics, with their problems. */
export async function listMauticProblems(storage: Storage): Promise<MauticProblem[]> {
  const rows = await storage
    .tables<MauticTables>()
    .selectFrom('mautics')
    .leftJoin('mautic_states', 'mautic_states.mautic_id', 'mautics.id')
    .select(['name', 'problem', 'problem_since'])
    .where('is_published', '=', true)
    .orderBy('name')
    .execute()
  return rows.map(({ name, problem, problem_since }) => ({
    name,
    problem,
    since: formatOptionalDate(problem_since),
  }))
}
