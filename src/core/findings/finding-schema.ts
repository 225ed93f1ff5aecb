import Type, { type Static } from 'typebox'
import { nullable } from '../../platform/http/index.ts'

/** What a person can do about a finding; `id` says to what, where it is one record. */
const findingActions = [
  'decideDeliveries',
  'openQueue',
  'openAssignments',
  'openTransport',
  'testTransport',
  'openLimit',
  'openTemplate',
  'openEmail',
  'openMautic',
  'createMauticWebhook',
  'openWebhook',
  'openSender',
  'openDkimKey',
  'openUser',
  'openOAuthClient',
] as const

export const severity = Type.Enum(['ok', 'warning', 'problem'], {
  description: 'A warning may be intended; a problem keeps something from working.',
})

const findingAction = Type.Object({
  action: Type.Enum([...findingActions]),
  id: nullable(Type.Integer(), {
    description: 'The id of the record; null if it is about several or none.',
  }),
  name: nullable(Type.String()),
})
/** Something to do about a finding, with the record that it is about. */
export type FindingAction = Static<typeof findingAction>

export const finding = Type.Object({
  check: Type.String({ description: 'What was examined.' }),
  brand: Type.Optional(
    Type.Integer({ description: 'The id of the brand that it is about; left out for none.' }),
  ),
  severity,
  detail: Type.String({
    description: 'What was found: a sentence, with a line for each of several records.',
  }),
  since: nullable(Type.String(), { description: 'When it began, if that is known.' }),
  until: nullable(Type.String(), { description: 'When it ends, if that is known.' }),
  fix: nullable(Type.String(), {
    description: 'What to do; null if there is nothing to do.',
  }),
  command: nullable(Type.String(), {
    description: 'The commands that do it or say more; null for none.',
  }),
  actions: Type.Array(findingAction, {
    description: 'What does it, on which record: the buttons of the console.',
  }),
})
/** The result of one check, as the API answers it. */
export type ShownFinding = Static<typeof finding>

/** The result of one check. */
export interface Finding extends ShownFinding {
  /** Its detail for callers with brands where it has no brand: nothing of others. Default: it is not for them. */
  shared?: string
}
