import { messageOf } from '../errors.ts';
import type { ModelSource } from './model-sources.ts';

/** Names of a source's models, or why there are none. */
export type ModelList =
  | { readonly names: readonly string[]; readonly problem: null }
  | { readonly names: null; readonly problem: string };

const TIMEOUT_MS = 8_000;
/** A local server answers at once or is not there. */
const LOCAL_TIMEOUT_MS = 700;
const MAX_BYTES = 8_000_000;
const MAX_NAMES = 500;
/** OpenAI lists much that cannot chat. */
const NO_CHAT =
  /embed|whisper|tts|dall-e|moderation|image|audio|realtime|transcri|davinci|babbage|sora/i;

/** Asks a source for its models. Never rejects. */
export async function fetchModelList(source: ModelSource): Promise<ModelList> {
  try {
    const response = await fetch(source.listUrl, {
      headers: { ...source.listHeaders, accept: 'application/json' },
      signal: AbortSignal.timeout(source.isLocal ? LOCAL_TIMEOUT_MS : TIMEOUT_MS),
      redirect: 'error',
    });
    if (response.status === 401 || response.status === 403) {
      return problem(`${source.label} refused the key (${response.status}): check its setting.`);
    }
    if (!response.ok) return problem(`${source.label} answered with ${response.status}.`);
    const names = readNames(await readBounded(response))?.filter(
      (name) => source.id !== 'openai' || !NO_CHAT.test(name),
    );
    if (names === undefined) return problem(`${source.label} sent no list of models.`);
    if (names.length === 0) return problem(`${source.label} lists no model.`);
    return { names: names.slice(0, MAX_NAMES), problem: null };
  } catch (error) {
    const what = error instanceof SyntaxError ? 'sent a list that is no JSON' : 'cannot be reached';
    return problem(`${source.label} ${what}: ${messageOf(error)}.`);
  }
}

const problem = (sentence: string): ModelList => ({ names: null, problem: sentence });

async function readBounded(response: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`its list has more than ${MAX_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return JSON.parse(text + decoder.decode()) as unknown;
}

/** `{data: [{id}]}`, as all three protocols answer. */
function readNames(body: unknown): readonly string[] | undefined {
  const data = (body as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return undefined;
  return data.flatMap((entry: unknown) => {
    const id = (entry as { id?: unknown } | null)?.id;
    return typeof id === 'string' && id !== '' && id.length <= 200 ? [id] : [];
  });
}
