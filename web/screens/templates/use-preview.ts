import { useEffect, useState } from 'preact/hooks'
import { ApiFault, ask, type Body } from '../../lib/api.ts'
import { templateWords } from '../../words/templates.ts'
import { type PreviewData, requestOf } from './preview-data.ts'

/** The last rendering, and why there is none of the code as it is now. */
export interface Preview {
  rendering: Body<'POST', '/api/twigTemplates/render'> | undefined
  problem: string | undefined
  isLoading: boolean
}

const pauseMs = 400

/**
 * Renders code when the typing pauses; a rendering that is overtaken is cancelled. The server renders, so that typing
 * never waits.
 */
export function usePreview(
  { template, id }: { template: string; id: number | undefined },
  data: PreviewData,
): Preview {
  const [preview, setPreview] = useState<Preview>({
    rendering: undefined,
    problem: undefined,
    isLoading: true,
  })
  const { kind, contact, json } = data
  useEffect(() => {
    const controller = new AbortController()
    const render = async () => {
      try {
        const source = id === undefined ? { template } : { template, id }
        const body = { ...source, ...requestOf(data), withText: true }
        const options = { body, signal: controller.signal, isRead: true }
        const rendering = (await ask('POST', '/api/twigTemplates/render', options)).body
        setPreview({ rendering, problem: undefined, isLoading: false })
      } catch (error) {
        if (controller.signal.aborted) return
        const problem = error instanceof ApiFault ? error.message : templateWords.jsonFault
        setPreview((before) => ({ ...before, problem, isLoading: false }))
      }
    }
    setPreview((before) => ({ ...before, isLoading: true }))
    const timer = setTimeout(() => void render(), pauseMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [template, id, kind, contact?.value, json])
  return preview
}
