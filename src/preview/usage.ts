import Type, { type Static } from 'typebox'
import { readAssignedTransports } from '../assignments/index.ts'
import { type EmailActivity, outcomes, recentDeliveries } from '../delivery/index.ts'
import { nullable } from '../http/index.ts'
import type { Caller } from '../kit/caller.ts'
import { formatDate } from '../kit/iso-date.ts'
import { type EmailReferences, findTemplateUsers } from '../messages/index.ts'
import type { ListExtra } from '../resource/index.ts'
import type { Storage } from '../storage/index.ts'

const lastSent = nullable(Type.String(), {
  description: 'When the last delivery in the log started, whatever its outcome; null for none.',
})
const { countMax, days } = recentDeliveries

const emailUsage = Type.Object(
  {
    lastSent,
    outcomes: Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: { type: 'integer' },
      description: `The number of each outcome among its last ${countMax.toLocaleString('en-GB')} deliveries of the last ${days} days: ${Object.keys(outcomes).join(', ')}.`,
    }),
    transport: Type.Optional(
      Type.Union(
        [
          Type.Object({
            id: Type.Integer(),
            name: Type.String(),
            isPublished: Type.Boolean(),
          }),
          Type.Null(),
        ],
        { description: 'The assigned transport; needs `multipleTransports: view`.' },
      ),
    ),
    useOwnerTransport: Type.Boolean(),
  },
  {
    description: 'With `?with=usage`: what it was sent through, when, and how that went.',
    examples: [
      {
        lastSent: '2026-01-31T15:54:35+00:00',
        outcomes: { accepted: 992, refused: 8 },
        transport: { id: 1, name: 'Postmark', isPublished: true },
        useOwnerTransport: false,
      },
    ],
  },
)

const templateUsage = Type.Union(
  [
    Type.Object({
      templates: Type.Integer({ description: 'Other templates, directly or not.' }),
      emails: Type.Integer({ description: 'Emails, directly or through other templates.' }),
      lastSent,
    }),
    Type.Null(),
  ],
  {
    description:
      'With `?with=usage`: how many templates and emails use it, and when one of the emails was last sent. Null for callers of a Mautic: the emails are those of Mailyard.',
    examples: [{ templates: 2, emails: 61, lastSent: '2026-01-31T15:54:35+00:00' }],
  },
)

/** What uses emails and templates, for their lists. */
export class ContentUsage {
  readonly #storage: Storage
  readonly #activity: EmailActivity
  readonly #references: EmailReferences

  constructor({
    storage,
    activity,
    references,
  }: {
    storage: Storage
    activity: EmailActivity
    references: EmailReferences
  }) {
    this.#storage = storage
    this.#activity = activity
    this.#references = references
  }

  get ofEmails(): ListExtra {
    return { schema: emailUsage, find: (ids, caller) => this.#findOfEmails(ids, caller) }
  }

  get ofTemplates(): ListExtra {
    return { schema: templateUsage, find: (ids, caller) => this.#findOfTemplates(ids, caller) }
  }

  async #findOfEmails(
    ids: readonly number[],
    caller: Caller,
  ): Promise<Static<typeof emailUsage>[]> {
    const [last, recent, assigned] = [
      await this.#activity.findLast(ids),
      await this.#activity.countRecent(ids),
      await readAssignedTransports(this.#storage.tables(), ids),
    ]
    const seesTransports = caller.can('multipleTransports:view')
    return ids.map((id) => {
      const { transport = null, useOwnerTransport = false } = assigned.get(id) ?? {}
      const usage = {
        lastSent: dateOf(last.get(id)),
        outcomes: recent.get(id) ?? {},
        useOwnerTransport,
      }
      return seesTransports ? { ...usage, transport } : usage
    })
  }

  async #findOfTemplates(
    ids: readonly number[],
    { mautic }: Caller,
  ): Promise<Static<typeof templateUsage>[]> {
    if (mautic !== undefined) return ids.map(() => null)
    const users = await findTemplateUsers(this.#storage, this.#references, ids)
    const emailIds = new Set([...users.values()].flatMap((each) => each.emailIds))
    const last = await this.#activity.findLast([...emailIds])
    return ids.map((id) => {
      const { templates = 0, emailIds: emails = [] } = users.get(id) ?? {}
      const times = emails.flatMap((emailId) => last.get(emailId) ?? [])
      const latest = times.reduce((one, other) => Math.max(one, other), 0)
      return { templates, emails: emails.length, lastSent: dateOf(latest) }
    })
  }
}

function dateOf(time: number | undefined): string | null {
  return time === undefined || time === 0 ? null : formatDate(time)
}
