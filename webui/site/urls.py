"""Addresses of the public pages."""

from allauth.account import views as library
from allauth.mfa.webauthn import views as webauthn
from django.urls import URLPattern, URLResolver, path, re_path
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from django.views.generic import RedirectView
from django.views.i18n import set_language

from webui.accounts import pages as account_pages
from webui.accounts import two_factor_pages
from webui.accounts.pages import SignUpView
from webui.analysis import game_pages as analysis_game_pages
from webui.analysis import pages as analysis_pages
from webui.analysis import play_pages as play_on_pages
from webui.bots import setting_pages, token_pages
from webui.challenges import pages as challenge_pages
from webui.comparisons import pages as comparison_pages
from webui.core.compress import packed
from webui.core.shared import shared
from webui.events import file_pages, organising_pages
from webui.events import pages as event_pages
from webui.fairness import pages as fairness_pages
from webui.following import feeds
from webui.following import pages as following_pages
from webui.game_statistics import pages as statistics_pages
from webui.hosting import pages as hosting_pages
from webui.hosting import source_pages
from webui.notices import pages as notice_pages
from webui.open_data import pages as data_pages
from webui.people import pages as table_pages
from webui.profiles import data_pages as profile_data_pages
from webui.profiles import front, own_pages, preview_pages
from webui.profiles import pages as profile_pages
from webui.ratings import pages as rating_pages
from webui.replays import pages as replay_pages
from webui.site.views import docs, first_game, sitemaps, wellknown
from webui.staff import arena_pages, match_pages, people_pages, runner_pages
from webui.staff.rights import act_pages
from webui.status import pages as status_pages
from webui.tv import pages as tv_pages
from webui.webhooks import pages as webhook_pages
from webui.writing import lesson_pages
from webui.writing import pages as write_pages

ladders_by_habit = RedirectView.as_view(pattern_name="ladders", permanent=True, http_method_names=["get", "head"])
sign_up = SignUpView.as_view()
sign_in = library.LoginView.as_view(template_name="accounts/sign_in.html")
language = csrf_exempt(require_POST(set_language))  # harmless, and lets visitors do without a cookie
analysis = csrf_exempt(packed(analysis_pages.analysis))  # a position that is sent becomes an address, and nothing else
sign_out = library.LogoutView.as_view(template_name="accounts/sign_out.html")  # GET asks for confirmation first

urlpatterns: list[URLPattern | URLResolver] = [
    path("", shared(packed(front.front)), name="front"),
    path("tv", shared(packed(tv_pages.tv)), name="tv"),
    path("tv/embed", shared(packed(tv_pages.embed)), name="tv-embed"),
    path("tv/table", packed(tv_pages.table), name="tv-table"),
    path("tv.json", packed(tv_pages.tv_json), name="tv-json"),
    path("matches/", shared(packed(front.matches)), name="matches"),
    path("matches/<slug:match_id>/", shared(packed(replay_pages.match), replay_pages.sharing), name="match"),
    path("matches/<slug:match_id>/embed", shared(packed(replay_pages.embed), replay_pages.sharing), name="embed"),
    path("matches/<slug:match_id>/alternatives/", packed(replay_pages.alternatives), name="alternatives"),
    path("matches/<slug:match_id>/rematch/", challenge_pages.rematch, name="rematch"),
    path("matches/<slug:match_id>/board.svg", packed(preview_pages.board), name="board"),
    path("matches/<slug:match_id>/preview.png", preview_pages.match_preview, name="match-preview"),
    path("matches/<slug:match_id>/live", replay_pages.live, name="live"),
    path("matches/<slug:match_id>/position.json", packed(replay_pages.position), name="position"),
    path("matches/<slug:match_id>/frames.json", replay_pages.frames, name="frames"),
    path("matches/<slug:match_id>/replay.json", packed(replay_pages.replay), name="replay"),
    path("matches/<slug:match_id>/proof.json", packed(replay_pages.proof), name="proof"),
    path("analysis/", analysis, name="analysis"),
    path("analysis/table.json", packed(analysis_pages.table), name="analysis-table"),
    path("analysis/judge/", packed(analysis_pages.judge), name="analysis-judge"),
    path("analysis/games/", analysis_game_pages.ask, name="analysis-games"),
    path("analysis/games/<slug:key>/", analysis_game_pages.games, name="position-games"),
    path("analysis/games/<slug:key>/live", analysis_game_pages.live, name="position-games-live"),
    path("analysis/games/<slug:key>/parts/", analysis_game_pages.parts, name="position-games-parts"),
    path("analysis/play/", packed(play_on_pages.play_on), name="analysis-play"),
    path("analysis/play.json", packed(play_on_pages.play_on_table), name="analysis-play-table"),
    path("analysis/position.json", packed(analysis_pages.position), name="analysis-position"),
    path("analysis/line.json", packed(analysis_pages.line), name="analysis-line"),
    path(".well-known/naqala-arena-keys.json", replay_pages.keys, name="keys"),
    path(".well-known/naqala-arena-offers.jsonl", packed(replay_pages.offers), name="offers"),
    path("people/", shared(packed(table_pages.people)), name="people"),
    path("play/", table_pages.play, name="play"),
    path("play/<slug:match_id>/", packed(table_pages.table), name="table"),
    path("play/<slug:match_id>/frames.json", packed(table_pages.frames), name="table-frames"),
    path("play/<slug:match_id>/live", table_pages.live, name="table-live"),
    path("play/<slug:match_id>/choices.json", packed(table_pages.choices), name="table-choices"),
    path("play/<slug:match_id>/hints.json", packed(table_pages.hints), name="table-hints"),
    path("play/<slug:match_id>/answer", table_pages.answer, name="table-answer"),
    path("play/<slug:match_id>/leave", table_pages.leave, name="table-leave"),
    path("ladder/", shared(packed(rating_pages.ladders)), name="ladders"),
    path("ladders/", ladders_by_habit, name="ladders-by-habit"),
    path("ladder/all/", shared(packed(rating_pages.overall)), name="overall"),
    path("ladder/<slug:slug>/", shared(packed(rating_pages.ladder)), name="ladder"),
    path("ladder/<slug:slug>/feed.xml", packed(feeds.ladder_feed), name="ladder-feed"),
    path("ladder/<slug:slug>/preview.png", preview_pages.ladder_preview, name="ladder-preview"),
    path("ladder/<slug:slug>/table.csv", packed(rating_pages.ladder_csv), name="ladder-csv"),
    path("ladder/<slug:slug>/table.json", packed(rating_pages.ladder_json), name="ladder-json"),
    path("fairness/", shared(packed(fairness_pages.fairness)), name="fairness"),
    path("fairness/<slug:day>/", shared(packed(fairness_pages.fairness)), name="fairness-day"),
    path("fairness/<slug:day>/report.json", packed(fairness_pages.fairness_json), name="fairness-json"),
    path("statistics/", shared(packed(statistics_pages.statistics)), name="statistics"),
    path("records/", shared(packed(statistics_pages.records)), name="records"),
    path("data/", shared(packed(data_pages.data)), name="data"),
    path("data/index.json", packed(data_pages.index), name="data-index"),
    path("data/SHA256SUMS", packed(data_pages.checksums), name="data-checksums"),
    path("data/<str:name>", data_pages.data_file, name="data-file"),
    path("events/", shared(packed(event_pages.events)), name="events"),
    path("events/new/", organising_pages.new_event, name="new-event"),
    path("events/<slug:slug>/", shared(shared(packed(event_pages.event), event_pages.sharing)), name="event"),
    path("events/<slug:slug>/live", event_pages.live, name="event-live"),
    path("events/<slug:slug>/embed/", shared(packed(event_pages.event_embed)), name="event-embed"),
    path("events/<slug:slug>/preview.png", event_pages.event_preview, name="event-preview"),
    path("events/<slug:slug>/parts/", packed(event_pages.event_parts), name="event-parts"),
    path("events/<slug:slug>/edit/", organising_pages.edit_event, name="edit-event"),
    path("events/<slug:slug>/entries/", organising_pages.entries, name="event-entries"),
    path("events/<slug:slug>/organise/", organising_pages.organise, name="organise-event"),
    path("events/<slug:slug>/standings.csv", packed(event_pages.event_csv), name="event-csv"),
    path("events/<slug:slug>/event.jsonl.zst", file_pages.event_archive, name="event-archive"),
    path("events/<slug:slug>/event.trf", packed(file_pages.event_trf), name="event-trf"),
    path("events/<slug:slug>/event.json", packed(event_pages.event_json), name="event-json"),
    path("bots/", shared(packed(front.bots)), name="bots"),
    path("bots/<slug:slug>/", shared(packed(profile_pages.bot)), name="bot"),
    path("bots/<slug:slug>/against/", shared(packed(statistics_pages.rivals)), name="rivals"),
    path("bots/<slug:slug>/against/<slug:other>/", shared(packed(statistics_pages.against)), name="against"),
    path("bots/<slug:slug>/feed.xml", packed(feeds.bot_feed), name="bot-feed"),
    path("bots/<slug:slug>/preview.png", preview_pages.bot_preview, name="bot-preview"),
    path("bots/<slug:slug>/follow/", following_pages.follow_bot, name="follow-bot"),
    path("bots/<slug:slug>/challenge/", challenge_pages.challenge_bot, name="challenge-bot"),
    path("bots/<slug:slug>/submissions/", hosting_pages.submissions, name="submissions"),
    path("bots/<slug:slug>/submissions/<int:submission_id>/", hosting_pages.submission, name="submission"),
    path(
        "bots/<slug:slug>/submissions/<int:submission_id>/live", hosting_pages.submission_live, name="submission-live"
    ),
    path(
        "bots/<slug:slug>/submissions/<int:submission_id>/parts/",
        hosting_pages.submission_parts,
        name="submission-parts",
    ),
    path(
        "bots/<slug:slug>/submissions/<int:submission_id>/change/",
        hosting_pages.change_submission,
        name="change-submission",
    ),
    path("bots/<slug:slug>/source/<int:submission_id>/", packed(source_pages.source), name="source"),
    path(
        "bots/<slug:slug>/source/<int:submission_id>/file/<path:path>",
        packed(source_pages.source_file),
        name="source-file",
    ),
    path("bots/<slug:slug>/source/<int:submission_id>/archive", source_pages.source_archive, name="source-archive"),
    path("users/<str:name>/", shared(packed(front.user)), name="user"),
    path("users/<str:name>/preview.png", preview_pages.user_preview, name="user-preview"),
    path("users/<str:name>/follow/", following_pages.follow_author, name="follow-author"),
    path("unsubscribe/<str:token>/", following_pages.unsubscribe, name="unsubscribe"),
    path("robots.txt", sitemaps.robots, name="robots"),
    path("sitemap.xml", packed(sitemaps.sitemap), name="sitemap"),
    path("sitemap-pages.xml", packed(sitemaps.single_pages), name="sitemap-plain"),
    path("sitemap-<slug:name>-<int:number>.xml", packed(sitemaps.part), name="sitemap-page"),
    path("write/", write_pages.write, name="write"),
    path("write/lessons/", lesson_pages.lessons, name="lessons"),
    path("write/lessons/<int:number>/", lesson_pages.lesson, name="lesson"),
    path("write/words.json", packed(docs.editor_words), name="editor-words"),
    path("write/<str:key>/", write_pages.trial, name="trial"),
    path("write/<str:key>/live", write_pages.trial_live, name="trial-live"),
    path("write/<str:key>/parts/", write_pages.trial_parts, name="trial-parts"),
    path("write/<str:key>/frames.json", write_pages.trial_game, name="trial-frames"),
    path("docs/", packed(docs.index), name="docs"),
    path("docs/protocol.zip", docs.protocol, name="docs-protocol"),
    path("docs/download/", docs.download, name="docs-download"),
    path("docs/download/<str:name>", docs.download_wheel, name="docs-wheel"),
    path("docs/<slug:slug>/", packed(docs.page), name="docs-page"),
    path("learn/", packed(docs.learn), name="learn"),
    path("learn/frames.json", docs.learn_frames, name="learn-frames"),
    path("learn/game/", packed(first_game.first_game), name="first-game"),
    path("learn/game/table.json", packed(first_game.table), name="first-game-table"),
    path("learn/game/hints.json", packed(first_game.hints), name="first-game-hints"),
    path("status/", shared(packed(status_pages.status)), name="status"),
    path("staff/", arena_pages.now, name="staff"),
    path("staff/matches/", match_pages.matches, name="staff-matches"),
    path("staff/matches/<slug:match_id>/", match_pages.match, name="staff-match"),
    path("staff/ladders/", arena_pages.ladders, name="staff-ladders"),
    path("staff/users/", people_pages.users, name="staff-users"),
    path("staff/users/<str:name>/", people_pages.user, name="staff-user"),
    path("staff/bots/", people_pages.bots, name="staff-bots"),
    path("staff/bots/<slug:slug>/", people_pages.bot, name="staff-bot"),
    path("staff/hosting/", runner_pages.hosting, name="staff-hosting"),
    path("staff/runners/<str:name>/", runner_pages.runner, name="staff-runner"),
    path("staff/submissions/<slug:number>/", runner_pages.submission, name="staff-submission"),
    path("staff/audit/", arena_pages.audit, name="staff-audit"),
    path("staff/suspicions/", arena_pages.suspicions, name="staff-suspicions"),
    *act_pages(),
    path("language/", language, name="language"),
    path("sign-up/", sign_up, name="sign-up"),
    path("sign-in/", sign_in, name="sign-in"),
    path("sign-out/", sign_out, name="sign-out"),
    path("sign-in/code/", two_factor_pages.SignInCode.as_view(), name="mfa_authenticate"),
    path("sign-in/passkey/", webauthn.LoginWebAuthnView.as_view(), name="mfa_login_webauthn"),
    path("account/", account_pages.account, name="account"),
    path("account/export/", profile_data_pages.export, name="export"),
    path("account/erase/", profile_data_pages.erase, name="erase"),
    path(".well-known/security.txt", wellknown.security_txt, name="security-txt"),
    path("csp-reports/", wellknown.csp_reports, name="csp-reports"),
    path("account/history/", account_pages.history, name="history"),
    path("account/sessions/<int:session_id>/end/", account_pages.end_session, name="end-session"),
    path("account/sessions/end-others/", account_pages.end_other_sessions, name="end-other-sessions"),
    path("account/app/", never_cache(two_factor_pages.NewApp.as_view()), name="mfa_activate_totp"),
    path("account/app/remove/", never_cache(two_factor_pages.RemoveApp.as_view()), name="mfa_deactivate_totp"),
    path("account/passkeys/new/", never_cache(two_factor_pages.NewPasskey.as_view()), name="mfa_add_webauthn"),
    path("account/passkeys/<int:pk>/remove/", two_factor_pages.RemovePasskey.as_view(), name="mfa_remove_webauthn"),
    path("account/recovery-codes/", two_factor_pages.recovery_codes, name="recovery-codes"),
    path("account/confirm/code/", never_cache(two_factor_pages.ConfirmCode.as_view()), name="mfa_reauthenticate"),
    path(
        "account/confirm/passkey/",
        never_cache(two_factor_pages.ConfirmPasskey.as_view()),
        name="mfa_reauthenticate_webauthn",
    ),
    path("account/webhooks/", webhook_pages.webhooks, name="webhooks"),
    path("account/webhooks/new/", webhook_pages.new_webhook, name="new-webhook"),
    path("account/webhooks/<int:webhook_id>/", webhook_pages.webhook, name="webhook"),
    path("account/webhooks/<int:webhook_id>/edit/", webhook_pages.edit_webhook, name="edit-webhook"),
    path("account/webhooks/<int:webhook_id>/secret/", webhook_pages.webhook_secret, name="webhook-secret"),
    path("account/webhooks/<int:webhook_id>/deed/", webhook_pages.webhook_act, name="webhook-act"),
    path("account/webhooks/<int:webhook_id>/messages/<int:delivery_id>/", webhook_pages.send_again, name="send-again"),
    path("account/following/", following_pages.following, name="following"),
    path("account/notices/", notice_pages.notices, name="notices"),
    path("account/email/", account_pages.email, name="email"),
    path("account/email/verify/", account_pages.verify_email, name="verify-email"),
    path("account/api-tokens/", token_pages.api_tokens, name="api-tokens"),
    path("account/api-tokens/new/", token_pages.new_api_token, name="new-api-token"),
    path("account/api-tokens/<int:token_id>/revoke/", token_pages.revoke_api_token, name="revoke-api-token"),
    path("account/bots/", own_pages.own_bots, name="own-bots"),
    path("account/bots/new/", token_pages.new_bot, name="new-bot"),
    path("account/bots/<slug:slug>/tokens/", token_pages.new_token, name="new-token"),
    path("account/bots/<slug:slug>/tokens/<int:token_id>/revoke/", token_pages.revoke_token, name="revoke-token"),
    path("account/bots/<slug:slug>/matches/<slug:match_id>/", packed(own_pages.transcript), name="transcript"),
    path("account/bots/<slug:slug>/challenges/", challenge_pages.challenges, name="challenges"),
    path("account/challenges/<slug:challenge_id>/", challenge_pages.challenge, name="challenge"),
    path("account/bots/<slug:slug>/comparisons/", comparison_pages.comparisons, name="comparisons"),
    path("account/comparisons/<slug:comparison_id>/", comparison_pages.comparison, name="comparison"),
    path("account/bots/<slug:slug>/edit/", setting_pages.edit_bot, name="edit-bot"),
    path("account/bots/<slug:slug>/retire/", setting_pages.retire_bot, name="retire-bot"),
    path("account/bots/<slug:slug>/versions/<int:version_id>/", setting_pages.edit_version, name="edit-version"),
    path(
        "account/bots/<slug:slug>/versions/<int:version_id>/retire/",
        setting_pages.retire_version,
        name="retire-version",
    ),
    path("account/bots/<slug:slug>/release/", own_pages.release, name="release"),
    path("account/bots/<slug:slug>/state/", own_pages.set_state, name="bot-state"),
    path("account/bots/<slug:slug>/exclusions/<int:exclusion_id>/", own_pages.put_back, name="put-back"),
    # django-allauth looks up its sign-in pages by these names. The first three have shorter addresses above.
    path("sign-up/", sign_up, name="account_signup"),
    path("sign-in/", sign_in, name="account_login"),
    path("sign-out/", sign_out, name="account_logout"),
    path(
        "sign-in/closed/",
        library.AccountInactiveView.as_view(template_name="accounts/account_closed.html"),
        name="account_inactive",
    ),
    path(
        "account/confirm/",
        never_cache(library.ReauthenticateView.as_view(template_name="accounts/confirm.html")),
        name="account_reauthenticate",
    ),
    re_path(
        r"^account/email/verify/(?P<key>[-:\w]+)/$",
        never_cache(library.ConfirmEmailView.as_view(template_name="accounts/email_confirm.html")),
        name="account_confirm_email",
    ),
    path(
        "account/password/",
        library.PasswordChangeView.as_view(template_name="accounts/password_change.html"),
        name="account_change_password",
    ),
    path(
        "account/password/forgotten/",
        library.PasswordResetView.as_view(template_name="accounts/password_forgotten.html"),
        name="account_reset_password",
    ),
    path(
        "account/password/sent/",
        library.PasswordResetDoneView.as_view(template_name="accounts/password_sent.html"),
        name="account_reset_password_done",
    ),
    re_path(
        r"^account/password/new/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        library.PasswordResetFromKeyView.as_view(template_name="accounts/password_new.html"),
        name="account_reset_password_from_key",
    ),
    path(
        "account/password/changed/",
        library.PasswordResetFromKeyDoneView.as_view(template_name="accounts/password_changed.html"),
        name="account_reset_password_from_key_done",
    ),
]
