import { assignmentMigrations } from '../core/assignments/index.ts'
import { contactMigrations } from '../core/contacts/index.ts'
import { deliveryMigrations } from '../core/delivery/index.ts'
import { emailMigrations } from '../core/emails/index.ts'
import { limitMigrations } from '../core/limits/index.ts'
import { mauticMigrations } from '../core/mautic/index.ts'
import { queueMigrations } from '../core/queue/index.ts'
import { suppressionMigrations } from '../core/suppressions/index.ts'
import { templateMigrations } from '../core/templates/index.ts'
import { transportMigrations } from '../core/transports/index.ts'
import { receivedEventsMigrations, transportWebhookMigrations } from '../modules/events/index.ts'
import { conditionMigrations } from '../modules/health/index.ts'
import { inboxMigrations } from '../modules/inbox/index.ts'
import { dkimMigrations, senderMigrations } from '../modules/senders/index.ts'
import { webhookMigrations } from '../modules/webhooks/index.ts'
import { authMigrations } from '../platform/auth/index.ts'
import { deletedRecordMigrations } from '../platform/resource/index.ts'
import { keyringMigrations } from '../platform/storage/index.ts'
import { removalMigrations } from './removals.ts'

export const migrations = [
  keyringMigrations,
  deletedRecordMigrations,
  authMigrations,
  emailMigrations,
  contactMigrations,
  transportMigrations,
  inboxMigrations,
  templateMigrations,
  assignmentMigrations,
  deliveryMigrations,
  queueMigrations,
  suppressionMigrations,
  limitMigrations,
  mauticMigrations,
  webhookMigrations,
  receivedEventsMigrations,
  transportWebhookMigrations,
  conditionMigrations,
  senderMigrations,
  dkimMigrations,
  removalMigrations,
]
