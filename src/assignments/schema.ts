import Type, { type Static } from 'typebox'
import { recordIdOrNull } from '../http/index.ts'
import { transportItem } from '../transports/index.ts'

const transportId = recordIdOrNull('Id of the transport; null takes the assignment away.')

/** What the API takes for an email. */
export const emailAssignmentInput = Type.Object(
  {
    transportId,
    useOwnerTransport: Type.Optional(
      Type.Boolean({
        description:
          "Whether the transport of the contact's owner goes first. Left out, it stays what it was.",
      }),
    ),
  },
  { examples: [{ transportId: 2, useOwnerTransport: false }] },
)
export type EmailAssignmentInput = Static<typeof emailAssignmentInput>

/** What the API takes for a user. */
export const userAssignmentInput = Type.Object({ transportId }, { examples: [{ transportId: 2 }] })

const transport = Type.Union([transportItem, Type.Null()])

/** What the API gives for an email. */
export const emailAssignmentAnswer = Type.Object({
  transportEmail: Type.Object({
    email: Type.Object(
      { id: Type.Integer(), name: Type.String() },
      { examples: [{ id: 1, name: 'Sample email' }] },
    ),
    transport,
    useOwnerTransport: Type.Boolean({ examples: [false] }),
  }),
})
export type EmailAssignmentAnswer = Static<typeof emailAssignmentAnswer>

/** What the API gives for a user. */
export const userAssignmentAnswer = Type.Object({
  transportUser: Type.Object({
    user: Type.Object(
      { id: Type.Integer(), username: Type.String(), email: Type.String() },
      { examples: [{ id: 1, username: 'admin', email: 'admin@localhost' }] },
    ),
    transport,
  }),
})
export type UserAssignmentAnswer = Static<typeof userAssignmentAnswer>
