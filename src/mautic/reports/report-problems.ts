import { sql } from 'kysely'
import type { Storage } from '../../storage/index.ts'
import type { MauticTables } from '../table.ts'
import { isWanted } from './add-reports.ts'

/** Reports that a Mautic does not accept. */
export interface ReportProblem {
  /** Of the Mautic. */
  name: string
  /** How many reports were tried three times or more, and wait. */
  reports: number
  /** Why one of them was not accepted. */
  problem: string
}

const attemptsMin = 3

/** Lists the published Mautics that do not accept reports. */
export async function listReportProblems(storage: Storage): Promise<ReportProblem[]> {
  const rows = await storage
    .tables<MauticTables>()
    .selectFrom('mautic_reports')
    .innerJoin('mautics', 'mautics.id', 'mautic_reports.mautic_id')
    .select(['name', sql<number>`count(*)`.as('reports'), sql<string>`max(problem)`.as('problem')])
    .where('mautics.is_published', '=', true)
    .where(isWanted)
    .where('state', '=', 'queued')
    .where('problem', 'is not', null)
    .where('attempts', '>=', attemptsMin)
    .groupBy('name')
    .orderBy('name')
    .execute()
  return rows.map(({ reports, ...row }) => ({ ...row, reports: Number(reports) }))
}
