import Type, { type Static } from 'typebox'
import {
  isPublishedField,
  jsonField,
  namedStamps,
  nameField,
  plainField,
  type ResourceShape,
  recordFields,
  textField,
} from '../../platform/resource/index.ts'
import { domainsMax, readDomains } from './brand-domains.ts'

const shop = {
  name: 'Shop',
  description: 'The online shop.',
  domains: ['shop.example.com', 'orders@example.com'],
  color: '#2563eb',
}

const colors = [
  '#2563eb',
  '#c2410c',
  '#15803d',
  '#7c3aed',
  '#be123c',
  '#0891b2',
  '#a16207',
  '#475569',
] as const

/** The color of a brand that was given none. */
export function colorOf(name: string): string {
  const sum = [...name].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0)
  return colors[sum % colors.length] ?? colors[0]
}

export const brandRecord = recordFields(namedStamps, ['name', 'description', 'domains'], {
  name: nameField('The name of the brand.'),
  description: textField('Its purpose.'),
  domains: {
    ...jsonField(
      Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 320 }), {
          maxItems: domainsMax,
          description:
            'The domains and addresses that its log-ins may send as, in From, Sender and envelope. Empty: any.',
        }),
      ),
      Type.Array(Type.String()),
      [],
    ),
    toColumn: (entries: string[] = []) => JSON.stringify(readDomains(entries).domains),
  },
  color: plainField(
    Type.Optional(
      Type.String({
        pattern: '^#[0-9a-fA-F]{6}$',
        fault: 'must be a color, such as #2563eb',
        description: 'Its dot in the console. Default: one that its name leads to.',
      }),
    ),
    Type.String(),
    { fallback: '' },
  ),
  isPublished: isPublishedField,
})

export const brandInput = Type.Object(brandRecord.input, {
  title: 'BrandInput',
  examples: [shop, { name: 'Lab' }],
})
export type BrandInput = Static<typeof brandInput>

export const brandItem = Type.Object(brandRecord.item, {
  title: 'Brand',
  examples: [brandRecord.example(1, shop)],
})
export type BrandItem = Static<typeof brandItem>

export const brandFields = brandRecord.listFields('name', 'description')

export const brandShape: ResourceShape = {
  path: '/api/brands',
  one: 'brand',
  many: 'brands',
  label: 'Brand',
  area: 'brand',
  listLimit: undefined,
  fields: brandFields,
  item: brandItem,
  input: brandInput,
  exampleChange: { color: '#15803d' },
}
