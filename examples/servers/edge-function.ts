import { respondToApi, type Project } from './routes.ts';

/**
 * An edge function. `supabase/functions/me/index.ts` serves it with `Deno.serve(createEdgeFunction(project))`; URL and
 * key are `Deno.env.get('SUPABASE_URL')` and `Deno.env.get('SUPABASE_ANON_KEY')`. A page sends its user's token with
 * `createFunctionsClient(connection).invoke('me')`.
 */
export function createEdgeFunction(project: Project) {
  const cors = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Headers': 'authorization, apikey, content-type',
  };
  return async (request: Request): Promise<Response> => {
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: cors });
    const response = await respondToApi(request, project);
    for (const [name, value] of Object.entries(cors)) response.headers.set(name, value);
    return response;
  };
}
