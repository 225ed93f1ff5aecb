import Type, { type Static } from 'typebox'
import { nullable } from '../../http/index.ts'

export const dependentShape = {
  id: Type.Integer(),
  name: Type.String(),
  isDirect: Type.Boolean({ description: 'False if it uses another template that does.' }),
}

const text = nullable(Type.String())
const printed = nullable(Type.Object({ subject: text, html: text, text }), {
  description: 'With `only`: the whole output; null if it cannot be rendered.',
})

/** What a change of a template does to one template or email that uses it. */
export const impact = Type.Object(
  {
    kind: Type.Enum(['template', 'email']),
    ...dependentShape,
    changeKey: nullable(Type.String(), {
      description:
        'Entries with the same key change in the same way, or fail with the same error; null for what does not change.',
    }),
    diff: Type.String({
      description:
        'Unified; empty if nothing changes. Compares 200,000 characters; cut after 100,000.',
    }),
    errorBefore: text,
    errorAfter: text,
    before: Type.Optional(printed),
    after: Type.Optional(printed),
  },
  {
    examples: [
      {
        kind: 'email',
        id: 2,
        name: 'Invitation',
        isDirect: true,
        changeKey: 'mq1cQ9Zr0bXh4s7V',
        diff: '@@ -1,1 +1,1 @@\n-Hello there,\n+Dear reader,\n',
        errorBefore: null,
        errorAfter: null,
      },
    ],
  },
)
export type Impact = Static<typeof impact>
/** What a template or an email prints; null for a part that it does not have. */
export type Printed = NonNullable<Impact['before']>
