import Type, { type Static } from 'typebox'
import { formatDate } from '../../kit/iso-date.ts'
import { nullable } from '../../platform/http/index.ts'
import type { ListExtra } from '../../platform/resource/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { readAssignedTransports } from '../assignments/index.ts'
import { type EmailActivity, recentDeliveries } from '../deliveries/index.ts'
import { outcomes } from '../delivery/index.ts'
import { type EmailReferences, TemplateGraph } from '../emails/index.ts'

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
      nullable(
        Type.Object({ id: Type.Integer(), name: Type.String(), isPublished: Type.Boolean() }),
        { description: 'The assigned transport; needs `multipleTransports: view`.' },
      ),
    ),
    useOwnerTransport: Type.Boolean(),
  },
  { description: 'With `?with=usage`: what it was sent through, when, and how that went.' },
)

const templateUsage = nullable(
  Type.Object({
    templates: Type.Integer({ description: 'Other templates, directly or not.' }),
    emails: Type.Integer({ description: 'Emails, directly or through other templates.' }),
    lastSent,
  }),
  {
    description:
      'With `?with=usage`: how many templates and emails use it, and when one of the emails was last sent. Null for callers of a Mautic: the emails are those of Mailyard.',
  },
)

/** What emails are sent through, and how that went, for their list. */
export function createEmailUsage(storage: Storage, activity: EmailActivity): ListExtra {
  return {
    schema: emailUsage,
    async find(ids, caller): Promise<Static<typeof emailUsage>[]> {
      const last = await activity.findLast(ids, caller)
      const recent = await activity.countRecent(ids, caller)
      const assigned = await readAssignedTransports(storage.tables(), ids, caller)
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
    },
  }
}

/** What uses templates, for their list. */
export function createTemplateUsage(
  storage: Storage,
  activity: EmailActivity,
  references: EmailReferences,
): ListExtra {
  return {
    schema: templateUsage,
    async find(ids, caller): Promise<Static<typeof templateUsage>[]> {
      if (caller.mautic !== undefined) return ids.map(() => null)
      const graph = await TemplateGraph.read(storage, references)
      const users: { templates: number; emailIds: number[] }[] = []
      for (const id of ids) {
        const dependents = await graph.findDependents(id, caller)
        const emailIds = dependents.flatMap((each) => (each.kind === 'email' ? [each.id] : []))
        users.push({ templates: dependents.length - emailIds.length, emailIds })
      }
      const last = await activity.findLast(
        [...new Set(users.flatMap((each) => each.emailIds))],
        caller,
      )
      return users.map(({ templates, emailIds }) => {
        const latest = emailIds.reduce((time, id) => Math.max(time, last.get(id) ?? 0), 0)
        return { templates, emails: emailIds.length, lastSent: dateOf(latest) }
      })
    },
  }
}

function dateOf(time = 0): string | null {
  return time === 0 ? null : formatDate(time)
}
