import Type, { type Static } from 'typebox'

export const unconfirmed = Type.Object(
  {
    reason: Type.Enum(['restored', 'otherUrl']),
    servedAs: Type.Optional(
      Type.String({ description: 'The public URL that it had, if it had one.' }),
    ),
  },
  {
    description:
      'Why the database may be a copy, so that nothing is sent until `POST /api/installation/confirm`: it was restored, or last served under another public URL. Missing once it is confirmed.',
  },
)
/** Why a database may be a copy, whose original goes on sending. */
export type Unconfirmed = Static<typeof unconfirmed>
