import Type, { type Static, type TSchema } from 'typebox'
import { nullable, recordId } from '../../../platform/http/index.ts'

const named = Type.Object({ id: Type.Integer(), name: Type.String() })
const to = Type.Object(
  { kind: Type.Enum(['transport', 'default', 'none']), transport: nullable(named) },
  { description: '`default`: MAILYARD_MAILER_DSN. `none`: the messages would not be sent.' },
)
const deliveries = Type.Integer({ description: 'Those of the last day.' })
const from = nullable(named, { description: 'Null: those of several owners.' })
const target = Type.Object({ to, emails: Type.Integer(), users: Type.Integer(), deliveries })
const sender = Type.Object({
  domain: Type.String(),
  to,
  member: nullable(Type.String(), {
    description: 'Of a list that is down in part: this member may be the one that remains.',
  }),
  verdict: nullable(Type.Enum(['notAligned', 'cannotTell']), {
    description: 'As in `GET /api/senders`. Null: not checked yet.',
  }),
  sentence: nullable(Type.String()),
})
const email = Type.Object({ email: named, from, to, deliveries })
const user = Type.Object({
  user: Type.Object({ id: Type.Integer(), username: Type.String() }),
  from,
  to,
})

export type DrillTarget = Static<typeof to>
export type TargetSum = Static<typeof target>
export type DrillEmail = Static<typeof email>
export type DrillUser = Static<typeof user>

/** The entries of each list of an answer. */
export const listedMax = 200
const partOf = <Item extends TSchema>(item: Item) =>
  Type.Object({ total: Type.Integer(), items: Type.Array(item, { maxItems: listedMax }) })

export const drillSchema = {
  operationId: 'drillTransports',
  summary: 'Show what would be sent elsewhere if transports were down',
  description:
    'A fire drill: the transports count as unpublished, nothing is changed. Lists have the first 200 entries. ' +
    '`emails` needs `email:view` and `users` needs `user:view`; without it, the member is null.',
  tags: ['multipleTransports'],
  body: Type.Object(
    {
      down: Type.Array(recordId('Id of a transport.'), { minItems: 1, maxItems: 1_000 }),
      mautic: Type.Optional(
        recordId('A connected Mautic, for its emails and users. Default: Mailyard itself.'),
      ),
    },
    { examples: [{ down: [2] }] },
  ),
  response: {
    200: Type.Object(
      {
        targets: Type.Array(target),
        senders: partOf(sender),
        emails: nullable(partOf(email)),
        users: nullable(partOf(user)),
      },
      {
        examples: [
          {
            targets: [],
            senders: { total: 0, items: [] },
            emails: { total: 0, items: [] },
            users: { total: 0, items: [] },
          },
        ],
      },
    ),
  },
}
