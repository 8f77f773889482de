import type { Selection } from '../../types.ts'
import type { Answer, Wish } from '../counting/index.ts'
import type { Asking } from '../lane/index.ts'
import { seriesSums } from './series.ts'
import { top } from './top.ts'

/** Answers a question by queries, however many clicks it is about. */
export async function byQueries<W extends Wish>(
  asking: Asking,
  selection: Selection,
  wish: W,
): Promise<Answer<W>> {
  const answer =
    'boundaries' in wish
      ? await seriesSums(asking, selection, wish.boundaries)
      : await top(asking, selection, wish.dimension, wish.limit)
  return answer as Answer<W>
}
