import { AppError } from '../../kit/app-error.ts'
import { columnsOf } from './change-tables.ts'
import type { Migrations } from './migrate.ts'

/** What the tables have from the beginning now. Databases of 28 November 2026 have run these. */
const contained = [
  '20261124_30_account_search',
  '20261124_30_contact_search',
  '20261124_30_email_search',
  '20261124_30_inbox_search',
  '20261124_30_limit_search',
  '20261124_30_mautic_search',
  '20261124_30_suppression_search',
  '20261124_30_template_search',
  '20261124_30_transport_search',
  '20261124_41_public_only',
  '20261124_61_twig_template_names',
  '20261124_70_default_transport',
  '20261124_71_broadcast_brake',
  '20261124_72_queue_permissions',
  '20261124_73_suppression_evidence',
  '20261124_74_report_removals',
  '20261124_75_grant_times',
  '20261124_76_queue_transports',
  '20261124_77_queue_notices',
  '20261124_90_inbox_pieces',
  '20261124_91_deleted_transports',
  '20261124_94_route_repairs',
  '20261124_94_route_repairs_triggers',
  '20261125_10_own_webhooks',
  '20261125_12_do_not_contact',
  '20261125_14_mautic_subjects',
  '20261125_20_refusals',
  '20261125_21_delivery_refusals',
  '20261126_10_refresh_tokens',
  '20261126_15_deferred',
  '20261126_16_logged_transport',
  '20261126_17_broadcast_state',
  '20261126_20_mirror_leases',
  '20261126_30_broadcasts_in_queue',
  '20261126_40_subjects',
  '20261126_41_kept_tests',
  '20261127_10_provider_events',
  '20261127_40_event_brakes',
]

const tooOld =
  'The database was made before 28 November 2026, and this Mailyard cannot migrate it. Migrate it with a version of that day first.'

/** Refuses databases of earlier versions that cannot be migrated. */
export const earlierMigrations: Migrations = {
  ...Object.fromEntries(contained.map((name) => [name, async () => undefined])),
  async '20261128_00_recent'(db) {
    // The last column that was added before that day.
    if (!(await columnsOf(db, 'queue_brakes')).includes('continued_at'))
      throw new AppError('upstream', 'database_too_old', tooOld)
  },
}
