import Type, { type Static } from 'typebox'
import type { ResourceShape } from '../../platform/resource/index.ts'
import { checkAnswer } from './check/check-report.ts'
import { mauticRecord } from './mautic-fields.ts'
import { mauticStatus } from './status.ts'

const shop = {
  name: 'shop',
  url: 'https://mautic.example.com',
  username: 'mailyard',
  transportId: null,
  smtpMode: 'queue' as const,
  hosts: ['mautic-api.example.com'],
  roleMap: { Marketing: 1 },
  isReporting: true,
  isTagging: false,
  networks: ['203.0.113.9'],
  validUntil: null,
}

export const mauticInput = Type.Object(mauticRecord.input, {
  title: 'MauticInput',
  examples: [
    { ...shop, password: 'a long password' },
    {
      name: 'blog',
      url: 'https://blog.example.com/mautic',
      clientId: '1_4q0c1n2p8xs0kkgk',
      clientSecret: '3u8kq1m7tz40o4cw',
      isPublished: false,
    },
  ],
})
export type MauticInput = Static<typeof mauticInput>

export const mauticItem = Type.Object(
  {
    ...mauticRecord.item,
    warnings: Type.Optional(Type.Array(Type.String())),
    status: Type.Optional(mauticStatus),
  },
  {
    title: 'Mautic',
    examples: [
      mauticRecord.example(1, {
        ...shop,
        password: '********',
        clientId: null,
        clientSecret: null,
        smtpLogin: '5d0f2a9be3c741868a1c7f60d2b394e5',
      }),
    ],
  },
)
export type MauticItem = Static<typeof mauticItem>

export const mauticFields = mauticRecord.listFields('name', 'url')

export const mauticShape: ResourceShape = {
  path: '/api/mautics',
  one: 'mautic',
  many: 'mautics',
  label: 'Mautic',
  area: 'api',
  testReport: checkAnswer,
  fields: mauticFields,
  item: mauticItem,
  input: mauticInput,
  exampleChange: { smtpMode: 'hybrid' },
}
