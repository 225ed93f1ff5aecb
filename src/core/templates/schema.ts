import Type, { type Static } from 'typebox'
import { optionalText } from '../../platform/http/index.ts'
import {
  brandField,
  isPublishedField,
  namedStamps,
  nameField,
  plainField,
  type ResourceShape,
  recordFields,
  textField,
} from '../../platform/resource/index.ts'

const templateLengthMax = 1_000_000

const greeting = {
  name: 'Greeting',
  template: 'Hello {{ contact.firstname|default("there") }},',
  description: 'The first line of every letter.',
}

export const templateRecord = recordFields(namedStamps, ['name', 'description'], {
  name: nameField('The name of the template.'),
  template: plainField(
    Type.String({
      minLength: 1,
      maxLength: templateLengthMax,
      description: 'The Twig code, stored byte for byte.',
    }),
    Type.String(),
    { fallback: '' },
  ),
  description: textField('Its purpose.'),
  brand: brandField,
  isPublished: isPublishedField,
  changeNote: {
    input: optionalText('The reason for the change; stored with the version.', 1_000),
  },
})

export const templateInput = Type.Object(templateRecord.input, {
  title: 'TwigTemplateInput',
  examples: [greeting, { name: 'Footer', template: '<p>Example Ltd, Vienna</p>' }],
})
export type TemplateInput = Static<typeof templateInput>

/** A remark about a place in a template. */
export const remark = Type.Object(
  { message: Type.String(), line: Type.Integer(), column: Type.Integer() },
  { examples: [{ message: 'There is no template "footer" to include.', line: 3, column: 12 }] },
)
export type Remark = Static<typeof remark>

export const templateItem = Type.Object(
  {
    ...templateRecord.item,
    warnings: Type.Optional(
      Type.Array(remark, {
        description:
          'Other templates of the same name; in the answer to a save also what may become an error, and which published emails now render another template.',
      }),
    ),
  },
  { title: 'TwigTemplate', examples: [templateRecord.example(1, greeting)] },
)
export type TemplateItem = Static<typeof templateItem>

export const templateFields = templateRecord.listFields('name', 'description')

export const templateShape: ResourceShape = {
  path: '/api/twigTemplates',
  one: 'twigTemplate',
  many: 'twigTemplates',
  label: 'Twig template',
  area: 'twigtemplates',
  searchesUses: true,
  fields: templateFields,
  item: templateItem,
  input: templateInput,
  exampleChange: {
    template: 'Dear {{ contact.firstname|default("reader") }},',
    changeNote: 'More formal.',
  },
}
