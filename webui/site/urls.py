"""Addresses of the public pages."""

from allauth.account import views as library
from allauth.mfa.webauthn import views as webauthn
from django.urls import URLPattern, URLResolver, path, re_path
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from webui.site.compress import packed
from webui.site.views import (
    account,
    bots,
    challenge_api,
    challenges,
    comparisons,
    docs,
    event_files,
    events,
    fairness,
    games,
    ladders,
    lists,
    notices,
    organising,
    own_bots,
    personal_data,
    proof,
    tokens,
    two_factor,
    wellknown,
)
from webui.site.views.sign_up import SignUpView

sign_up = SignUpView.as_view()
sign_in = library.LoginView.as_view(template_name="site/sign_in.html")
language = csrf_exempt(require_POST(set_language))  # harmless, and visitors need no cookie for it
sign_out = require_POST(library.LogoutView.as_view())

urlpatterns: list[URLPattern | URLResolver] = [
    path("", packed(lists.front), name="front"),
    path("matches/", packed(lists.matches), name="matches"),
    path("matches/<slug:match_id>/", packed(games.match), name="match"),
    path("matches/<slug:match_id>/embed", packed(games.embed), name="embed"),
    path("matches/<slug:match_id>/rematch/", challenges.rematch, name="rematch"),
    path("matches/<slug:match_id>/live", games.live, name="live"),
    path("matches/<slug:match_id>/position.json", packed(games.position), name="position"),
    path("matches/<slug:match_id>/frames.json", games.frames, name="frames"),
    path("matches/<slug:match_id>/replay.json", packed(games.replay), name="replay"),
    path("matches/<slug:match_id>/proof.json", packed(proof.proof), name="proof"),
    path(".well-known/naqala-arena-keys.json", proof.keys, name="keys"),
    path(".well-known/naqala-arena-offers.jsonl", packed(proof.offers), name="offers"),
    path("ladder/", ladders.ladders, name="ladders"),
    path("ladder/all/", packed(ladders.overall), name="overall"),
    path("ladder/<slug:slug>/", packed(ladders.ladder), name="ladder"),
    path("ladder/<slug:slug>/table.csv", packed(ladders.ladder_csv), name="ladder-csv"),
    path("ladder/<slug:slug>/table.json", packed(ladders.ladder_json), name="ladder-json"),
    path("fairness/", packed(fairness.fairness), name="fairness"),
    path("fairness/<slug:day>/", packed(fairness.fairness), name="fairness-day"),
    path("fairness/<slug:day>/report.json", packed(fairness.fairness_json), name="fairness-json"),
    path("events/", packed(events.events), name="events"),
    path("events/new/", organising.new_event, name="new-event"),
    path("events/<slug:slug>/", packed(events.event), name="event"),
    path("events/<slug:slug>/live", events.live, name="event-live"),
    path("events/<slug:slug>/embed/", packed(events.event_embed), name="event-embed"),
    path("events/<slug:slug>/preview.png", events.event_preview, name="event-preview"),
    path("events/<slug:slug>/parts/", packed(events.event_parts), name="event-parts"),
    path("events/<slug:slug>/edit/", organising.edit_event, name="edit-event"),
    path("events/<slug:slug>/entries/", organising.entries, name="event-entries"),
    path("events/<slug:slug>/organise/", organising.organise, name="organise-event"),
    path("events/<slug:slug>/standings.csv", packed(events.event_csv), name="event-csv"),
    path("events/<slug:slug>/event.jsonl.zst", event_files.event_archive, name="event-archive"),
    path("events/<slug:slug>/event.trf", packed(event_files.event_trf), name="event-trf"),
    path("events/<slug:slug>/event.json", packed(events.event_json), name="event-json"),
    path("bots/", packed(lists.bots), name="bots"),
    path("bots/<slug:slug>/", packed(bots.bot), name="bot"),
    path("bots/<slug:slug>/challenge/", challenges.challenge_bot, name="challenge-bot"),
    path("users/<str:name>/", packed(lists.user), name="user"),
    path("docs/", packed(docs.index), name="docs"),
    path("docs/protocol.zip", docs.protocol, name="docs-protocol"),
    path("docs/download/", docs.download, name="docs-download"),
    path("docs/download/<str:name>", docs.download_wheel, name="docs-wheel"),
    path("docs/<slug:slug>/", packed(docs.page), name="docs-page"),
    path("language/", language, name="language"),
    path("sign-up/", sign_up, name="sign-up"),
    path("sign-in/", sign_in, name="sign-in"),
    path("sign-out/", sign_out, name="sign-out"),
    path("sign-in/code/", two_factor.SignInCode.as_view(), name="mfa_authenticate"),
    path("sign-in/passkey/", webauthn.LoginWebAuthnView.as_view(), name="mfa_login_webauthn"),
    path("account/", account.account, name="account"),
    path("account/export/", personal_data.export, name="export"),
    path("account/erase/", personal_data.erase, name="erase"),
    path(".well-known/security.txt", wellknown.security_txt, name="security-txt"),
    path("csp-reports/", wellknown.csp_reports, name="csp-reports"),
    path("account/history/", account.history, name="history"),
    path("account/sessions/<int:session_id>/end/", account.end_session, name="end-session"),
    path("account/sessions/end-others/", account.end_other_sessions, name="end-other-sessions"),
    path("account/app/", never_cache(two_factor.NewApp.as_view()), name="mfa_activate_totp"),
    path("account/app/remove/", never_cache(two_factor.RemoveApp.as_view()), name="mfa_deactivate_totp"),
    path("account/passkeys/new/", never_cache(two_factor.NewPasskey.as_view()), name="mfa_add_webauthn"),
    path("account/passkeys/<int:pk>/remove/", two_factor.RemovePasskey.as_view(), name="mfa_remove_webauthn"),
    path("account/recovery-codes/", two_factor.recovery_codes, name="recovery-codes"),
    path("account/confirm/code/", never_cache(two_factor.ConfirmCode.as_view()), name="mfa_reauthenticate"),
    path(
        "account/confirm/passkey/", never_cache(two_factor.ConfirmPasskey.as_view()), name="mfa_reauthenticate_webauthn"
    ),
    path("account/notices/", notices.notices, name="notices"),
    path("account/email/", account.email, name="email"),
    path("account/email/verify/", account.verify_email, name="verify-email"),
    path("account/bots/", own_bots.own_bots, name="own-bots"),
    path("account/bots/new/", tokens.new_bot, name="new-bot"),
    path("account/bots/<slug:slug>/tokens/", tokens.new_token, name="new-token"),
    path("account/bots/<slug:slug>/tokens/<int:token_id>/revoke/", tokens.revoke_token, name="revoke-token"),
    path("account/bots/<slug:slug>/matches/<slug:match_id>/", packed(own_bots.transcript), name="transcript"),
    path("account/bots/<slug:slug>/challenges/", challenges.challenges, name="challenges"),
    path("account/challenges/<slug:challenge_id>/", challenges.challenge, name="challenge"),
    path("api/challenges/", challenge_api.challenges, name="api-challenges"),
    path("api/challenges/<slug:challenge_id>/", challenge_api.challenge, name="api-challenge"),
    path("account/bots/<slug:slug>/comparisons/", comparisons.comparisons, name="comparisons"),
    path("account/comparisons/<slug:comparison_id>/", comparisons.comparison, name="comparison"),
    path("account/bots/<slug:slug>/release/", own_bots.release, name="release"),
    path("account/bots/<slug:slug>/state/", own_bots.set_state, name="bot-state"),
    path("account/bots/<slug:slug>/exclusions/<int:exclusion_id>/", own_bots.put_back, name="put-back"),
    # Sign-in by django-allauth looks its pages up by these names; the first three have a shorter one above.
    path("sign-up/", sign_up, name="account_signup"),
    path("sign-in/", sign_in, name="account_login"),
    path("sign-out/", sign_out, name="account_logout"),
    path(
        "sign-in/closed/",
        library.AccountInactiveView.as_view(template_name="site/account_closed.html"),
        name="account_inactive",
    ),
    path(
        "account/confirm/",
        never_cache(library.ReauthenticateView.as_view(template_name="site/confirm.html")),
        name="account_reauthenticate",
    ),
    re_path(
        r"^account/email/verify/(?P<key>[-:\w]+)/$",
        never_cache(library.ConfirmEmailView.as_view(template_name="site/email_confirm.html")),
        name="account_confirm_email",
    ),
    path(
        "account/password/",
        library.PasswordChangeView.as_view(template_name="site/password_change.html"),
        name="account_change_password",
    ),
    path(
        "account/password/forgotten/",
        library.PasswordResetView.as_view(template_name="site/password_forgotten.html"),
        name="account_reset_password",
    ),
    path(
        "account/password/sent/",
        library.PasswordResetDoneView.as_view(template_name="site/password_sent.html"),
        name="account_reset_password_done",
    ),
    re_path(
        r"^account/password/new/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        library.PasswordResetFromKeyView.as_view(template_name="site/password_new.html"),
        name="account_reset_password_from_key",
    ),
    path(
        "account/password/changed/",
        library.PasswordResetFromKeyDoneView.as_view(template_name="site/password_changed.html"),
        name="account_reset_password_from_key_done",
    ),
]
