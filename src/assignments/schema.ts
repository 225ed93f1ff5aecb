import Type, { type Static } from 'typebox'
import { recordId, recordIdOrNull } from '../http/index.ts'
import { transportItem } from '../transports/index.ts'

const transportId = recordIdOrNull('Id of the transport; null unassigns.')

export const emailAssignmentInput = Type.Object(
  {
    transportId,
    useOwnerTransport: Type.Optional(
      Type.Boolean({
        description: "Whether the transport of the contact's owner goes first. Default: unchanged.",
      }),
    ),
  },
  { examples: [{ transportId: 2, useOwnerTransport: false }] },
)
export type EmailAssignmentInput = Static<typeof emailAssignmentInput>

export const userAssignmentInput = Type.Object({ transportId }, { examples: [{ transportId: 2 }] })

const transport = Type.Union([transportItem, Type.Null()])

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

const briefTransport = Type.Union(
  [
    Type.Object({ id: Type.Integer(), name: Type.String(), isPublished: Type.Boolean() }),
    Type.Null(),
  ],
  { description: 'Null for none: the default is used.' },
)

const briefExample = { id: 2, name: 'Try-out', isPublished: true }

/** An email and its transport in a list. */
export const emailAssignmentItem = Type.Object(
  {
    email: Type.Object({
      id: Type.Integer(),
      name: Type.String(),
      isPublished: Type.Boolean(),
    }),
    transport: briefTransport,
    useOwnerTransport: Type.Boolean(),
  },
  {
    title: 'EmailAssignment',
    examples: [
      {
        email: { id: 1, name: 'Sample email', isPublished: true },
        transport: briefExample,
        useOwnerTransport: false,
      },
    ],
  },
)
export type EmailAssignmentItem = Static<typeof emailAssignmentItem>

/** A user and their transport in a list. */
export const userAssignmentItem = Type.Object(
  {
    user: Type.Object({
      id: Type.Integer(),
      username: Type.String(),
      email: Type.String(),
      isPublished: Type.Boolean(),
    }),
    transport: briefTransport,
  },
  {
    title: 'UserAssignment',
    examples: [
      {
        user: { id: 1, username: 'admin', email: 'admin@localhost', isPublished: true },
        transport: briefExample,
      },
    ],
  },
)
export type UserAssignmentItem = Static<typeof userAssignmentItem>

/** The assignment of one email in a batch. */
export const emailAssignmentEntry = Type.Object(
  { emailId: recordId('Id of the email.'), ...emailAssignmentInput.properties },
  { examples: [{ emailId: 1, transportId: 2, useOwnerTransport: false }] },
)

/** The assignment of one user in a batch. */
export const userAssignmentEntry = Type.Object(
  { userId: recordId('Id of the user.'), ...userAssignmentInput.properties },
  { examples: [{ userId: 1, transportId: 2 }] },
)
