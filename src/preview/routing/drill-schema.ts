import Type, { type Static, type TSchema } from 'typebox'
import { nullable } from '../../http/index.ts'

const named = Type.Object({ id: Type.Integer(), name: Type.String() })
const to = Type.Object(
  { kind: Type.Enum(['transport', 'default', 'none']), transport: nullable(named) },
  { description: '`default`: MAILYARD_MAILER_DSN. `none`: the messages would not be sent.' },
)
const deliveries = Type.Integer({ description: 'Those of the last day.' })
const partOf = <Item extends TSchema>(item: Item) =>
  Type.Object({ total: Type.Integer(), items: Type.Array(item) })

/** What would change if transports were down. Lists have the first 200 entries. */
export const drillReport = Type.Object(
  {
    down: Type.Array(
      Type.Object({
        ...named.properties,
        isPublished: Type.Boolean({ description: 'An unpublished one changes nothing.' }),
        members: Type.Array(Type.String(), {
          description: 'Of a list: while one of them can be reached, nothing is sent elsewhere.',
        }),
      }),
    ),
    since: Type.String({ format: 'date-time' }),
    deliveries,
    targets: Type.Array(
      Type.Object({ to, emails: Type.Integer(), users: Type.Integer(), deliveries }),
    ),
    reachedLimits: nullable(
      Type.Array(
        Type.Object({
          ...named.properties,
          allowed: Type.Integer({ description: 'Recipients that it allows today.' }),
          needed: Type.Integer({
            description: 'Those of the last day, together with those that would be moved to it.',
          }),
        }),
      ),
      { description: 'Null for callers of a Mautic: limits are not shown to them.' },
    ),
    senders: partOf(
      Type.Object({
        domain: Type.String(),
        to,
        member: nullable(Type.String(), {
          description: 'Of a list that is down in part: this member may be the one that remains.',
        }),
        verdict: nullable(Type.Enum(['notAligned', 'cannotTell']), {
          description: 'As in `GET /api/senders`. Null: not checked yet.',
        }),
        sentence: nullable(Type.String()),
      }),
    ),
    emails: nullable(
      Type.Object({
        total: Type.Integer(),
        undecided: Type.Integer({
          description: 'Emails whose header X-Mailyard-Transport depends on the contact.',
        }),
        items: Type.Array(
          Type.Object({
            email: named,
            source: Type.Enum(['named', 'email', 'owner'], {
              description: 'The message names the transport, or it is that of the email or owner.',
            }),
            from: nullable(named),
            to,
            deliveries,
          }),
        ),
      }),
    ),
    users: nullable(
      partOf(
        Type.Object({
          user: Type.Object({ id: Type.Integer(), username: Type.String() }),
          from: named,
          to,
        }),
      ),
    ),
  },
  {
    examples: [
      {
        down: [{ id: 2, name: 'Try-out', isPublished: true, members: [] }],
        since: '2026-01-31T15:54:35+00:00',
        deliveries: 0,
        targets: [],
        reachedLimits: [],
        senders: { total: 0, items: [] },
        emails: { total: 0, undecided: 0, items: [] },
        users: { total: 0, items: [] },
      },
    ],
  },
)

export type DrillReport = Static<typeof drillReport>
export type DrillTarget = Static<typeof to>
