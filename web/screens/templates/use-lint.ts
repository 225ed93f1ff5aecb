import { useEffect, useState } from 'preact/hooks'
import { ask, type Body } from '../../lib/api.ts'
import type { Remark } from '../../records/code/remark.ts'

export type Variable = Body<'POST', '/api/twigTemplates/lint'>['variables'][number]

/** What is known of the code in the editor. */
export interface Lint {
  remarks: readonly (Remark & { isFault: boolean })[]
  variables: readonly Variable[]
  /** Whether the code has been checked as it is now. */
  isCurrent: boolean
}

const pauseMs = 300
const nothing: Lint = { remarks: [], variables: [], isCurrent: false }

/** Checks code when the typing pauses. A check that is overtaken by typing is cancelled. */
export function useLint(template: string, id: number | undefined): Lint {
  const [lint, setLint] = useState(nothing)
  useEffect(() => {
    setLint((before) => ({ ...before, isCurrent: false }))
    const controller = new AbortController()
    const check = async () => {
      try {
        const body = id === undefined ? { template } : { template, id }
        const options = { body, signal: controller.signal, isRead: true }
        const { faults, warnings, variables } = (
          await ask('POST', '/api/twigTemplates/lint', options)
        ).body
        const remarks = [
          ...faults.map((each) => ({ ...each, isFault: true })),
          ...warnings.map((each) => ({ ...each, isFault: false })),
        ]
        // A template with faults may not say what it reads.
        setLint((before) => ({
          remarks,
          variables: faults.length > 0 && variables.length === 0 ? before.variables : variables,
          isCurrent: true,
        }))
      } catch {
        // The next change checks again; a save says what is wrong in any case.
      }
    }
    const timer = setTimeout(() => void check(), pauseMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [template, id])
  return lint
}
